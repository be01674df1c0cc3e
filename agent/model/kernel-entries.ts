/**
 * What a program other than NetworkManager gave a link in the kernel: MicroShift's address of the API server (10.44.0.0/32), masquerade
 * addresses and service routes of ovn-kubernetes. It goes with the link, and who gave it does not look again.
 */
export interface KernelEntries {
  readonly interface: string;
  readonly addresses: readonly KernelAddress[];
  /** Of bridges only. */
  readonly routes: readonly KernelRoute[];
  /** Permanent ones, of bridges only. */
  readonly neighbours: readonly KernelNeighbour[];
}

/** An interface to which nobody has given anything. */
export function noEntries(interfaceName: string): KernelEntries {
  return { interface: interfaceName, addresses: [], routes: [], neighbours: [] };
}

export interface KernelAddress {
  /** `address/prefix` */
  readonly address: string;
  /** Metric of its connected route; null: the kernel's own choice. */
  readonly metric: number | null;
  /** Not checked for duplicates. */
  readonly noDad: boolean;
  /** Not used as a source unless asked for. */
  readonly deprecated: boolean;
  /** IPv6: the kernel lists one of the node's own before it, which it prefers as a source where nothing else decides. Absent: it does not. */
  readonly behindOwn?: true;
}

export interface KernelRoute {
  /** CIDR; a default route is 0.0.0.0/0 or ::/0. */
  readonly destination: string;
  readonly gateway: string | null;
  readonly source: string | null;
  readonly metric: number | null;
  readonly mtuBytes: number | null;
  /** Name or number, as ip-route(8) takes it; null: main. */
  readonly table: string | null;
}

export interface KernelNeighbour {
  readonly address: string;
  readonly mac: string;
}
