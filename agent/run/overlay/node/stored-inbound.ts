import { readSmallFile, replaceFile } from '../../../drivers/host/files/files.ts';
import type { DirectNode } from '../../../model/direct-node.ts';
import type { OverlayPeer } from '../../../model/overlay-peer.ts';
import type { InboundService } from '../../../model/shared-bridge.ts';
import { podMtuIn } from '../../../overlay/direct/direct-only.ts';
import type { OverlayPlaces } from '../record/places.ts';

/** Size limit, in bytes, of the file that stores the services; ten thousand services take half of it. */
const rememberedBytes = 64 * 1024 * 1024;

/**
 * Inbound services of this node, the peers that its gateway reaches or that are in VXLAN, the nodes that it could reach
 * by direct routes, and the MTU of pods, as the central node publishes them.
 */
export interface Inbound {
  readonly services: readonly InboundService[];
  readonly peers: readonly OverlayPeer[];
  /** Nodes on the LAN that take part in direct routes; empty if this node does not take part. */
  readonly direct: readonly DirectNode[];
  /** MTU of pods in bytes if packets between pods use direct routes only; null if the cluster uses tunnels. */
  readonly podMtuBytes: number | null;
}

/** Data of a node without services, peers and direct routes. */
export const noInbound: Inbound = { services: [], peers: [], direct: [], podMtuBytes: null };

/**
 * Returns true if the services, peers, direct routes or MTU of pods differ from the stored ones, for which the flows
 * and the nftables table were installed.
 */
export function differFromStored(inbound: Inbound, places: Pick<OverlayPlaces, 'services'>): boolean {
  return textOfInbound(inbound) !== (storedServices(places) ?? textOfInbound(noInbound));
}

/**
 * Returns the text of the file with the services, peers, direct routes and MTU of pods, for a comparison; null if none
 * were stored since the boot.
 */
export function storedServices({ services }: Pick<OverlayPlaces, 'services'>): string | null {
  return readSmallFile(services, rememberedBytes);
}

/**
 * Returns lines with the services, the peers, the nodes with direct routes and the MTU of pods, without empty values at
 * the end.
 */
function textOfInbound({ services, peers, direct, podMtuBytes }: Inbound): string {
  const further = [peers, direct, podMtuBytes];
  const count = further.findLastIndex((one) => one !== null && !(Array.isArray(one) && one.length === 0)) + 1;
  return [services, ...further.slice(0, count)].map((one) => `${JSON.stringify(one)}\n`).join('');
}

/** Stores the data from which the flows and the nftables table of this node are made. */
export function remember(inbound: Inbound, { services: path }: OverlayPlaces): void {
  replaceFile(path, textOfInbound(inbound), 0o600);
}

/**
 * Returns the services, peers, direct routes and MTU of pods that were stored since the boot; null if none were stored.
 */
export function remembered(places: Pick<OverlayPlaces, 'services'>): Inbound | null {
  const text = storedServices(places);
  if (text === null) return null;
  const [services = [], peers = [], direct = [], podMtuBytes = null] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return { services, peers, direct, podMtuBytes };
}

/**
 * Returns the peers that this node's gateway reaches, as they were last read; empty if none were read since the boot.
 */
export function rememberedPeers(places: Pick<OverlayPlaces, 'services'>): readonly OverlayPeer[] {
  return remembered(places)?.peers ?? [];
}

/**
 * Returns the nodes on the LAN that take part in direct routes, as they were last read; empty if none were read since
 * the boot.
 */
export function rememberedDirect(places: Pick<OverlayPlaces, 'services'>): readonly DirectNode[] {
  return remembered(places)?.direct ?? [];
}

/**
 * Returns the MTU of pods, as it was last read, in a cluster whose packets between pods use direct routes only; null if
 * the cluster uses tunnels, or if nothing was read since the boot.
 */
export function rememberedPodMtu(places: Pick<OverlayPlaces, 'services'>): number | null {
  return remembered(places)?.podMtuBytes ?? null;
}

/**
 * Returns the published MTU of pods as the daemon last read it or, without a daemon, as a run since the boot last read
 * it; null if the cluster uses tunnels, or if nothing was read.
 */
export function publishedMtu({ published, ...places }: OverlayPlaces): number | null {
  const ids = published?.() ?? null;
  return ids === null ? rememberedPodMtu(places) : podMtuIn(ids);
}
