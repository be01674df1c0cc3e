/** OpenFlow ports of a bridge that a node shares with its gateway (ovs-ofctl(8)). */
export interface SharedPorts {
  readonly nic: number;
  /** The patch port to br-int, of ovn-controller or of an older tool. */
  readonly cluster: number;
  /** Nobody else has a port there. */
  readonly isAlone: boolean;
}

export type ServiceProtocol = 'tcp' | 'udp' | 'sctp';

export interface ServicePlace {
  readonly address: string;
  readonly port: number;
}

/** An address and port of this node, or one that its gateway answers for, at which a service is reached from outside: a NodePort among others. */
export interface ArrivingService extends ServicePlace {
  readonly protocol: ServiceProtocol;
  /** Where the node itself reaches it; null: nobody serves it now. */
  readonly target: ServicePlace | null;
  /** The node itself serves it, so that it is not led into the cluster. */
  readonly isServedHere: boolean;
}

/** A flow as ovs-ofctl(8) reads it, without its cookie. */
export interface WantedFlow {
  readonly flow: string;
  readonly why: string;
}

/** A table of nftables: what makes it, and what tells that it is there. */
export interface NatTable {
  /** A script of nft(8) that puts it in the place of what is there, as one transaction. */
  readonly script: string;
  /** Its elements and the comments of its rules, one line each, sorted. */
  readonly lines: readonly string[];
}

/** A flow, or the table, that is not as wanted. */
export interface DemuxChange {
  readonly do: 'add' | 'remove';
  /** The flow, or the table. */
  readonly what: string;
  readonly why: string;
}
