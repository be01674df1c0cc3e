/** OpenFlow ports of a bridge that a node shares with its gateway (ovs-ofctl(8)). */
export interface SharedPorts {
  readonly nic: number;
  /** Patch port to br-int, which ovn-controller or an older tool made. */
  readonly cluster: number;
  /** True if the bridge has only three ports: the NIC, the patch port to br-int and the internal interface. */
  readonly isAlone: boolean;
}

export type ServiceProtocol = 'tcp' | 'udp' | 'sctp';

export interface ServicePlace {
  readonly address: string;
  readonly port: number;
}

/**
 * Address and port at which a node or its gateway receives packets for a service, such as a NodePort or the address of
 * a load balancer.
 */
export interface InboundService extends ServicePlace {
  readonly protocol: ServiceProtocol;
  /** Address and port at which the node itself reaches the service; null if no endpoint serves it now. */
  readonly target: ServicePlace | null;
  /** True if the node itself serves the address and port, so that their packets are not sent into the cluster. */
  readonly isServedHere: boolean;
  /** Ranges of the permitted clients, in canonical form. Absent if every client is permitted. */
  readonly permitted?: readonly string[];
}

/** A flow in the notation of ovs-ofctl(8), without its cookie. */
export interface DesiredFlow {
  readonly flow: string;
  readonly why: string;
}

/** An nftables table: the script that makes it, and the lines by which it is recognized. */
export interface NatTable {
  /** Script for nft(8) that replaces the whole nftables table in one transaction. */
  readonly script: string;
  /** Elements of the maps and sets of the nftables table, and comments of its rules, one per line, sorted. */
  readonly lines: readonly string[];
}

/** A flow of a bridge, or the agent's nftables table, that differs from the desired state. */
export interface SharedBridgeChange {
  readonly do: 'add' | 'remove';
  /** Flow in the notation of ovs-ofctl(8), or text that names several flows or the agent's nftables table. */
  readonly what: string;
  readonly why: string;
}
