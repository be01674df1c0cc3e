/** Node that takes part in direct routes, which are routes between pods of two nodes without a tunnel. Only IPv4. */
export interface DirectNode {
  readonly name: string;
  /** Address on the LAN that the node shares with its gateway, in the form `address/prefix`. */
  readonly address: string;
  /** MAC on the LAN that the node shares with its gateway. */
  readonly mac: string;
  /** Subnet of the node's pods. */
  readonly subnet: string;
}

/** Returns true for the name of a node in Kubernetes: one or more labels with dots between them (RFC 1123). */
export function isNodeName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text);
}
