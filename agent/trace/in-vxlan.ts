import type { TraceEnd } from '../model/overlay-trace.ts';
import { vtepNames } from '../overlay/overlay-names.ts';
import type { LogicalNetwork } from './logical-network.ts';

/**
 * Returns the end of a packet that leaves to a peer in VXLAN; null if the switch is not that of a peer, or if the peer
 * has another MAC than the packet's destination. `node` is the node that sends the packet.
 */
export function sentInVxlan(
  { vteps }: Pick<LogicalNetwork, 'vteps'>,
  switchName: string,
  mac: string,
  node: string | null,
): TraceEnd | null {
  const peer = vteps.find(({ name }) => vtepNames(name).vtepSwitch === switchName);
  if (peer === undefined || peer.vtep.mac !== mac) return null;
  const { address, vni } = peer.vtep;
  return { how: 'vxlan', peer: peer.name, address, vni, node };
}

/** Returns true for the port by which the cluster's router reaches a peer in VXLAN. */
export function isPortToVtep({ vteps }: Pick<LogicalNetwork, 'vteps'>, port: string): boolean {
  return vteps.some(({ name }) => vtepNames(name).onRouter === port);
}
