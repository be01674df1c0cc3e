/**
 * Peer of the cluster: another Kubernetes cluster, or a subnet behind an appliance. A router or node on the LAN of the
 * gateways leads to it.
 */
export interface OverlayPeer {
  readonly name: string;
  /** Addresses of the router or node that leads to the peer, at most one per address family. */
  readonly nextHops: readonly string[];
  /** Ranges of the peer's pods, or the subnet behind the appliance. */
  readonly subnets: readonly string[];
  /** Ranges of the peer's services; empty if this cluster does not reach these services. */
  readonly serviceSubnets: readonly string[];
}

/** Largest number of peers of a cluster, and of ranges of one peer. Each range costs a gateway a few rows and flows. */
export const mostPeers = 32;
export const mostPeerRanges = 16;

/** Returns true for the name of a peer: a label of RFC 1123, like the name of a namespace in Kubernetes. */
export function isPeerName(text: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text);
}

/** Returns all ranges of a peer. */
export function rangesOfPeer({ subnets, serviceSubnets }: OverlayPeer): readonly string[] {
  return [...subnets, ...serviceSubnets];
}

/** Returns true if two peers have the same name, next hops and ranges. */
export function isSamePeer(a: OverlayPeer, b: OverlayPeer): boolean {
  const textOf = ({ name, nextHops, subnets, serviceSubnets }: OverlayPeer): string =>
    JSON.stringify([name, ...[nextHops, subnets, serviceSubnets].map((list) => list.toSorted())]);
  return textOf(a) === textOf(b);
}
