import { ipBatch } from '../../../drivers/host/kernel/ip-batch.ts';
import { readLinks } from '../../../drivers/host/kernel/links.ts';
import { readVxlanEntries } from '../../../drivers/host/kernel/vxlan-entries.ts';
import type { Link } from '../../../model/observation.ts';
import { type OverlayPeer, vtepPeersOf } from '../../../model/overlay-peer.ts';
import type { PortChange } from '../../../model/overlay-plan.ts';
import { planVtepDevices, vtepDevicesIn } from '../../../overlay/peers/vtep-devices.ts';

/**
 * Plans the VXLAN devices of this node, and their entries, for the peers that are reached in VXLAN. No changes if
 * `peers` is null, as on a member that does not reach the central node. Runs no program on a node without such devices.
 */
export async function planVteps(
  peers: readonly OverlayPeer[] | null,
  links: readonly Link[],
): Promise<readonly PortChange[]> {
  if (peers === null) return [];
  const devices = vtepDevicesIn(links);
  const entries = await Promise.all(devices.map(async (name) => [name, await readVxlanEntries(name)] as const));
  return planVtepDevices(vtepPeersOf(peers), links, new Map(entries));
}

/** Removes the VXLAN devices of a node that leaves its cluster. Best effort: a device that stays carries no packets. */
export async function removeVteps(): Promise<void> {
  await ipBatch(planVtepDevices([], readLinks(), new Map()).map(({ command }) => command));
}
