import { readSmallFile, removeForGood, writeFileAtomically } from '../../drivers/host/files.ts';
import { AgentError } from '../../errors.ts';
import type { OverlayBundle, OverlayRecord } from '../../model/overlay-record.ts';
import { bundleFault, recordFault } from './record-form.ts';

/** A record of a thousand nodes has half of that. */
const recordBytes = 1024 * 1024;

/** What this node is in its cluster; null: it is in none. */
export function readRecord(path: string): OverlayRecord | null {
  const text = readSmallFile(path, recordBytes);
  if (text === null) return null;
  const value = parsed(text);
  const fault = value === undefined ? 'it is no JSON' : recordFault(value);
  if (fault === null) return value as OverlayRecord;
  throw new AgentError('record-unusable', `${path} cannot be used: ${fault}`, {
    hint: 'put it back from a backup; on a node that is not the central one, remove it and join again',
    facts: { path },
  });
}

/** The same for who needs one. */
export function requireRecord(path: string): OverlayRecord {
  const record = readRecord(path);
  if (record !== null) return record;
  throw new AgentError('overlay-absent', 'this node is in no overlay', {
    hint: 'begin one with `microshift-net overlay init`, or join one with `microshift-net overlay join`',
    facts: { path },
  });
}

/** The same for who needs the central node's. */
export function requireCentral(
  path: string,
): OverlayRecord & { readonly members: NonNullable<OverlayRecord['members']> } {
  const record = requireRecord(path);
  const { members } = record;
  if (members !== null) return { ...record, members };
  throw new AgentError('overlay-absent', 'this is not the central node of its cluster', {
    hint: `run it on the central node, which answers at ${record.southbound.join(', ')}`,
  });
}

/** Writes the record; one that says the same stays as it is. True: it was written. */
export function writeRecord(path: string, record: OverlayRecord): boolean {
  const text = `${JSON.stringify(record, null, 2)}\n`;
  if (readSmallFile(path, recordBytes) === text) return false;
  writeFileAtomically(path, text, 0o600);
  return true;
}

/** Removes the record, and what a run had not written to its end; a power cut does not bring it back. */
export function removeRecord(path: string): void {
  removeForGood(path);
}

/** A bundle as text. */
export function bundleText(bundle: OverlayBundle): string {
  return `${JSON.stringify(bundle, null, 2)}\n`;
}

/** Reads a bundle; `from` names where it came from. */
export function parseBundle(text: string, from: string): OverlayBundle {
  const value = parsed(text);
  const fault = value === undefined ? 'it is no bundle of `overlay pki issue`' : bundleFault(value);
  if (fault === null) return value as OverlayBundle;
  throw new AgentError('bundle-unusable', `${from} cannot be used: ${fault}`, {
    hint: 'make it anew on the central node: microshift-net overlay pki renew NODE',
    facts: { from },
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
