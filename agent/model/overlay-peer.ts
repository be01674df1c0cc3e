/**
 * Peer of the cluster: another Kubernetes cluster, or a subnet behind an appliance. A router or node on the LAN of the
 * gateways leads to it, or all nodes exchange packets with it in VXLAN.
 */
export interface OverlayPeer {
  readonly name: string;
  /**
   * Addresses of the router or node that leads to the peer, at most one per address family. Empty for a peer in VXLAN.
   */
  readonly nextHops: readonly string[];
  /** Ranges of the peer's pods, or the subnet behind the appliance. */
  readonly subnets: readonly string[];
  /** Ranges of the peer's services; empty if this cluster does not reach these services. */
  readonly serviceSubnets: readonly string[];
  /** VTEP behind which the peer's only subnet is. Absent if the peer is reached by routers. */
  readonly vtep?: PeerVtep;
}

/** VXLAN tunnel endpoint (VTEP) outside of the cluster (RFC 7348). */
export interface PeerVtep {
  /** IPv4 address from which the VTEP sends VXLAN packets, and at which it receives them at UDP port 4789. */
  readonly address: string;
  /** VXLAN network identifier of the packets in both directions. */
  readonly vni: number;
  /** MAC of the peer's hosts inside of VXLAN, in small letters. */
  readonly mac: string;
}

/** Peer that is reached in VXLAN. */
export interface VtepPeer extends OverlayPeer {
  readonly vtep: PeerVtep;
}

/** Settings that the appliance of a peer in VXLAN needs. */
export interface VtepSettings {
  /** Address of the cluster's router in the subnet of the peer, which is the next hop to the pods. */
  readonly router: string;
  readonly routerMac: string;
  /** Largest size, in bytes, of IP packets inside of VXLAN. */
  readonly mtuBytes: number;
  /** Ranges of the pods. */
  readonly destinations: readonly string[];
  /** Nodes with the addresses at which they receive VXLAN packets. */
  readonly nodes: readonly { readonly node: string; readonly address: string }[];
}

/** Largest VXLAN network identifier (RFC 7348 section 5). */
export const largestVni = 16_777_215;

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

/** Returns the peers that are reached in VXLAN. */
export function vtepPeersOf(peers: readonly OverlayPeer[]): readonly VtepPeer[] {
  return peers.filter((peer): peer is VtepPeer => peer.vtep !== undefined);
}

/** Returns true if two peers have the same name, next hops, ranges and VTEP. */
export function isSamePeer(a: OverlayPeer, b: OverlayPeer): boolean {
  const textOf = ({ name, nextHops, subnets, serviceSubnets, vtep }: OverlayPeer): string =>
    JSON.stringify([
      name,
      ...[nextHops, subnets, serviceSubnets].map((list) => list.toSorted()),
      ...(vtep === undefined ? [] : [vtep.address, vtep.vni, vtep.mac]),
    ]);
  return textOf(a) === textOf(b);
}
