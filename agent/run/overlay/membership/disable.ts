import { existsSync } from 'node:fs';
import { removeFile } from '../../../drivers/host/files/files.ts';
import { clearRemains } from '../certificates/authority.ts';
import { pkiFiles } from '../certificates/pki-files.ts';
import { reportingSystemd, restoreUnits } from '../ovn/ovn-units.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { readRecord } from '../record/record.ts';
import { type LeftOver, leaveOverlay, otherMembers, refuseToCutOff } from './leave.ts';

/** Result of `overlay disable`. */
export interface Disabled {
  /** Name of the node in its cluster; null if only the remains of an interrupted run were removed. */
  readonly node: string | null;
  readonly leftOver: LeftOver;
  /** Other members, which no longer have a central node. */
  readonly cutOff: readonly string[];
  /** Units of OVN that have returned to their state before the overlay. */
  readonly units: readonly string[];
}

/**
 * Removes this node from its overlay, as `leave` does, and restores the state that the units of OVN had before the
 * overlay. On a node without an overlay, removes the remains of an interrupted run. Fails with `overlay-conflict` for a
 * central node with other members, unless `isForced`. Returns null if there is nothing to remove.
 */
export async function disableOverlay(
  places: OverlayPlaces,
  isForced: boolean,
  say: (step: string) => void,
): Promise<Disabled | null> {
  const present = readRecord(places.record);
  if (present === null) return removeRemains(places, say);
  if (!isForced) refuseToCutOff(present);
  const { record, leftOver } = await leaveOverlay(places, say, isForced);
  return {
    node: record.node.name,
    leftOver,
    cutOff: otherMembers(record),
    units: await restoreUnits(places, reportingSystemd(say)),
  };
}

/**
 * Removes the files and units that an interrupted run has left. Keeps the authority of a central node, because `overlay
 * pki init` may have created it for an overlay that does not exist yet.
 */
async function removeRemains(places: OverlayPlaces, say: (step: string) => void): Promise<Disabled | null> {
  const { own, request, authority, authorityKey } = pkiFiles(places.pki);
  const files = [own, request, ...(existsSync(authorityKey) ? [] : [authority])].filter((file) => existsSync(file));
  for (const file of files) removeFile(file);
  clearRemains(places.pki);
  const units = await restoreUnits(places, reportingSystemd(say));
  if (files.length + units.length === 0) return null;
  return { node: null, leftOver: null, cutOff: [], units };
}
