/**
 * Node that takes part in direct routes of one address family. Direct routes are routes between pods of two nodes
 * without a tunnel.
 */
export interface DirectNode {
  readonly name: string;
  /** Address that the node shares with its gateway on the LAN, in the form `address/prefix`. */
  readonly address: string;
  /** MAC that the node shares with its gateway on the LAN. */
  readonly mac: string;
  /** Subnet of the node's pods, of the same family as the address. */
  readonly subnet: string;
}

/** Reason why no path is a direct route in a cluster that uses tunnels only. */
export const encapsulationIsAlways = 'overlay.encapsulation is always';

/** Path of packets from pods of this node to pods of another node, over one address family. */
export interface PodPath {
  /** Name of the node whose pods the path leads to. */
  readonly node: string;
  readonly family: 'ipv4' | 'ipv6';
  /** `none`: the pods are not reached, because `overlay.encapsulation` is `never` and the direct route is missing. */
  readonly way: 'direct' | 'tunnel' | 'none';
  /** Reason why the path is not a direct route, in words; null if it is one. */
  readonly reason: string | null;
}

/** Returns true for the name of a node in Kubernetes: one or more labels with dots between them (RFC 1123). */
export function isNodeName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text);
}
