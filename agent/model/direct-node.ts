/** Node that takes part in direct routes, which are routes between pods of two nodes without a tunnel. Only IPv4. */
export interface DirectNode {
  readonly name: string;
  /** Address of the node and its gateway on the LAN, in the form `address/prefix`. */
  readonly address: string;
  /** MAC of the node and its gateway on the LAN. */
  readonly mac: string;
  /** Subnet of the node's pods. */
  readonly subnet: string;
}

/** Returns true for the name of a node: labels of RFC 1123, as the names of Node objects in Kubernetes. */
export function isNodeName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text);
}
