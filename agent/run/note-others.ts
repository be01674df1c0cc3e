import { othersNow } from '../compare/compare-others.ts';
import { removeFile, replaceFile } from '../drivers/host/files/files.ts';
import { fileText } from '../drivers/host/files/kernel-files.ts';
import { hasLifetimes } from '../model/kernel-entries.ts';
import type { Observation } from '../model/observation.ts';
import { type OthersRecord, othersPath, uptimePath } from '../model/others.ts';
import type { Plan } from '../model/plan.ts';

/**
 * Records the foreign ports and entries on the bridges at the end of a run that leaves the node in the desired state.
 * Writes the file only if it changes. The record of a bridge also lists the foreign ports that the bridge has lost. If
 * `isReported` is true, this list becomes empty: a person has requested the run, and its output has listed the lost
 * ports, so no later run reports them again. Never fails the run.
 */
export function noteOthers(plan: Plan, observation: Observation, isReported: boolean): void {
  const now = othersNow(plan.wanted.bridges, observation);
  write(isReported ? now.map((record) => ({ ...record, lostPorts: [] })) : now, observation);
}

/**
 * Removes from the record of foreign ports and entries the bridges that are not desired any more. Otherwise the ports
 * of such a bridge would be reported as missing from a later bridge of the same name.
 */
export function forgetOthers(plan: Plan, { others = [] }: Observation): void {
  const kept = others.filter(({ bridge }) => plan.wanted.bridges.some((wanted) => wanted.bridge === bridge));
  write(kept, { others });
}

function write(records: readonly OthersRecord[], { others = [] }: Pick<Observation, 'others'>): void {
  if (JSON.stringify(records) === JSON.stringify(others)) return;
  try {
    if (records.length === 0) removeFile(othersPath);
    else replaceFile(othersPath, `${JSON.stringify(records.map(timed))}\n`);
  } catch {
    // A failure to write the file is ignored: a full /run must not fail a run that has left the node in the desired
    // state.
  }
}

/**
 * Adds to the record of foreign ports and entries the uptime at which the lifetimes of the entries were read. Returns
 * the record without an uptime if no entry has a lifetime.
 */
function timed(record: OthersRecord): OthersRecord {
  const { uptimeSeconds: _, ...rest } = record;
  if (!hasLifetimes(record.entries)) return rest;
  return { ...rest, uptimeSeconds: Number.parseFloat(fileText(uptimePath) ?? '0') };
}
