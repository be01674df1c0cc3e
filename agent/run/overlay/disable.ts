import { existsSync } from 'node:fs';
import { removeFile } from '../../drivers/host/files.ts';
import { clearRemains, pkiFiles } from './authority.ts';
import { type LeftOver, leaveOverlay, otherMembers, refuseToCutOff } from './leave.ts';
import { restoreUnits } from './ovn-units.ts';
import type { OverlayPlaces } from './places.ts';
import { readRecord, requireRecord } from './record.ts';

/** The result of `overlay disable`. */
export interface Disabled {
  /** The node's name in its cluster; null: a run was cut off before the node was in one. */
  readonly node: string | null;
  readonly leftOver: LeftOver;
  /** Nodes that have lost their central one. */
  readonly cutOff: readonly string[];
  /** Units of OVN that are as they were before the overlay. */
  readonly units: readonly string[];
}

/**
 * Takes this node out of its overlay as `leave` does, and makes the units of OVN as they were before it. What a run left behind that was cut off
 * before the node was in an overlay goes, too. Refuses with `overlay-conflict` to take a central node from its cluster unless `isForced`, and with
 * `overlay-absent` where there is nothing.
 */
export async function disableOverlay(
  places: OverlayPlaces,
  isForced: boolean,
  say: (step: string) => void,
): Promise<Disabled> {
  const present = readRecord(places.record);
  if (present === null) return removeRemains(places);
  if (!isForced) refuseToCutOff(present);
  const { record, leftOver } = await leaveOverlay(places, say, isForced);
  return { node: record.node.name, leftOver, cutOff: otherMembers(record), units: await restoreUnits(places) };
}

/** An authority stays: `overlay pki init` makes one before there is an overlay. */
async function removeRemains(places: OverlayPlaces): Promise<Disabled> {
  const { own, request, authority, authorityKey } = pkiFiles(places.pki);
  const files = [own, request, ...(existsSync(authorityKey) ? [] : [authority])].filter((file) => existsSync(file));
  for (const file of files) removeFile(file);
  clearRemains(places.pki);
  const units = await restoreUnits(places);
  if (files.length + units.length === 0) requireRecord(places.record);
  return { node: null, leftOver: null, cutOff: [], units };
}
