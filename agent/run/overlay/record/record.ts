import { readSmallFile, removeForGood, writeFileAtomically } from '../../../drivers/host/files/files.ts';
import { AgentError } from '../../../errors.ts';
import type { OverlayBundle, OverlayRecord } from '../../../model/overlay-record.ts';
import { bundleFault, recordFault } from './record-form.ts';

/** Size limit of a record, in bytes; the record of a cluster with a thousand nodes takes half of it. */
const recordBytes = 1024 * 1024;

/**
 * Reads the record of this node's part in its cluster; null if the node is not in an overlay. Fails with
 * `record-unusable` if the file is not a valid record.
 */
export function readRecord(path: string): OverlayRecord | null {
  const text = readSmallFile(path, recordBytes);
  if (text === null) return null;
  const value = parsed(text);
  const fault = value === undefined ? 'it is not JSON' : recordFault(value);
  if (fault === null) return value as OverlayRecord;
  throw new AgentError('record-unusable', `${path} cannot be used: ${fault}`, {
    hint: 'put it back from a backup; on a node that is not the central one, remove it and join again',
    facts: { path },
  });
}

/**
 * Reads the record of this node's part in its cluster. Fails with `overlay-absent` if the node is not in an overlay.
 */
export function requireRecord(path: string): OverlayRecord {
  const record = readRecord(path);
  if (record !== null) return record;
  throw new AgentError('overlay-absent', 'this node is not in an overlay', {
    hint: 'begin one with `microshift-net overlay init`, or join one with `microshift-net overlay join`',
    facts: { path },
  });
}

/** Record of the central node. */
export type CentralRecord = OverlayRecord & { readonly members: NonNullable<OverlayRecord['members']> };

/** Reads the record of the central node. Fails with `overlay-absent` on any other node. */
export function requireCentral(path: string): CentralRecord {
  const record = requireRecord(path);
  const { members } = record;
  if (members !== null) return { ...record, members };
  throw new AgentError('overlay-absent', 'this is not the central node of its cluster', {
    hint: `run it on the central node, which answers at ${record.southbound.join(', ')}`,
  });
}

/** Writes the record if its content differs. Returns true if it was written. */
export function writeRecord(path: string, record: OverlayRecord): boolean {
  const text = `${JSON.stringify(record, null, 2)}\n`;
  if (readSmallFile(path, recordBytes) === text) return false;
  writeFileAtomically(path, text, 0o600);
  return true;
}

/** Removes the record and an incomplete copy of it. The removal is durable: a power cut does not bring them back. */
export function removeRecord(path: string): void {
  removeForGood(path);
}

/** Returns a bundle as text. */
export function bundleText(bundle: OverlayBundle): string {
  return `${JSON.stringify(bundle, null, 2)}\n`;
}

/**
 * Parses a bundle. Fails with `bundle-unusable` if the text is not a bundle; `from` names the source of the text in the
 * error.
 */
export function parseBundle(text: string, from: string): OverlayBundle {
  const value = parsed(text);
  const fault = value === undefined ? 'it is not a bundle of `overlay pki issue`' : bundleFault(value);
  if (fault === null) return value as OverlayBundle;
  throw new AgentError('bundle-unusable', `${from} cannot be used: ${fault}`, {
    hint: 'make it again on the central node: microshift-net overlay pki renew NODE',
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
