/** Question and result of `overlay trace`, as plain JSON. */

export type TraceProtocol = 'icmp' | 'tcp' | 'udp';

export interface TraceQuestion {
  /** Name of a node, pod (`namespace/name`) or logical port, or an address. */
  readonly source: string;
  readonly destination: string;
  readonly protocol: TraceProtocol;
  /** Destination port; null for ICMP, or if the destination is a service and the service's own port is used. */
  readonly port: number | null;
  /**
   * Node whose gateway receives a packet from outside of the cluster, or which receives a packet of a peer in VXLAN. If
   * null, a gateway with the destination address receives it, or else the first gateway; a packet of a peer in VXLAN is
   * received by the node on which the trace is made.
   */
  readonly fromNode: string | null;
}

/** A packet at one point of its path. */
export interface TracePacket {
  readonly ethSource: string;
  readonly ethDestination: string;
  readonly source: string;
  readonly destination: string;
  readonly protocol: TraceProtocol;
  /** Source port; null for ICMP, which has no ports. */
  readonly sourcePort: number | null;
  readonly destinationPort: number | null;
  readonly ttl: number;
  /** True if the packet answers another one; for ICMP, if it is an echo reply. */
  readonly isReply: boolean;
}

/** A port of a logical switch or router. */
export interface TracePlace {
  readonly kind: 'switch' | 'router';
  readonly name: string;
  readonly port: string;
  /** Node to which the port is bound; null if the port is on all nodes or on no node. */
  readonly node: string | null;
}

/** A row of OVN that decides about a packet. It is named after the object from which the row was made. */
export interface TraceRule {
  /** Table of OVN_Northbound. */
  readonly table: string;
  /** First eight digits of the row's UUID. */
  readonly id: string;
  /**
   * Name of the object (`NetworkPolicy web/deny-all`, `Service default/web`) or of the row itself; empty if it has no
   * name.
   */
  readonly name: string;
  /** Short description in OVN's notation; empty if the row has none. */
  readonly says: string;
}

/** A logical flow of OVN, and the row from which the flow was made. */
export interface TraceFlow {
  /** Name of the flow's stage. Table numbers differ between releases (ovn-sb(5), Logical_Flow). */
  readonly stage: string;
  readonly match: string;
  /** Row that decides about the packet; null if no row does. */
  readonly rule: TraceRule | null;
}

/**
 * Tunnel that carries a packet from one node to another, with the keys that identify the packet to the other node
 * (ovn-architecture(7), "Tunnel Encapsulations").
 */
export interface TraceCrossing {
  readonly from: string;
  readonly to: string;
  readonly encap: 'geneve' | 'vxlan';
  /** Remote end of the tunnel. */
  readonly address: string;
  readonly datapath: string;
  readonly inPort: string;
  readonly outPort: string;
  readonly tunId: number;
  /** Value of OVN's option in the Geneve header; null for VXLAN, which has no options. */
  readonly metadata: number | null;
  readonly packet: TracePacket;
  /**
   * The packet as it leaves the tunnel, in the notation of ofproto/trace. The port is written as TUNNEL, because only
   * the other node knows its number.
   */
  readonly flow: string;
}

/** Direct route that carries a packet from one node to another over the LAN, without a tunnel. */
export interface TraceDirect {
  readonly from: string;
  readonly to: string;
  /** Port by which the packet leaves the logical network of the node `from`. */
  readonly outPort: string;
  /** Port by which the packet enters the logical network of the node `to`. */
  readonly inPort: string;
  readonly packet: TracePacket;
}

export type TraceStation =
  | ({ readonly do: 'enter' } & TracePlace)
  | { readonly do: 'pass'; readonly rule: TraceRule }
  | {
      readonly do: 'translate';
      readonly what: 'source' | 'destination';
      readonly from: string;
      readonly to: string;
      /** Other possible results of the address translation, such as the other backends of a load balancer. */
      readonly others: readonly string[];
      /** True if the packet is a reply, and connection tracking reverses the address translation of the request. */
      readonly isReversed: boolean;
      /** Row that causes the address translation; null if it is not known. */
      readonly rule: TraceRule | null;
      readonly kind: TracePlace['kind'];
      readonly where: string;
    }
  | { readonly do: 'route'; readonly flow: TraceFlow; readonly nextHop: string | null; readonly port: string }
  | { readonly do: 'ask'; readonly router: string; readonly address: string; readonly owner: string }
  | { readonly do: 'cross'; readonly crossing: TraceCrossing }
  | ({ readonly do: 'direct' } & TraceDirect);

export type TraceEnd =
  | { readonly how: 'delivered'; readonly port: string; readonly node: string | null }
  | { readonly how: 'outside'; readonly port: string; readonly node: string | null }
  | { readonly how: 'answered'; readonly router: string }
  | {
      readonly how: 'dropped' | 'rejected';
      /** Flow that drops or rejects the packet; null if no flow matches it. */
      readonly flow: TraceFlow | null;
      readonly where: string;
    }
  /**
   * The trace was stopped: the packet reached the same port of a logical switch or router with the same addresses for a
   * second time, or the trace reached its largest number of runs of ovn-trace.
   */
  | { readonly how: 'circles'; readonly where: string }
  /**
   * The result is unknown, because ovn-trace ends here: it does not look up the connection to which a packet for a
   * gateway's own address belongs.
   */
  | { readonly how: 'incomplete'; readonly where: string }
  /** The packet leaves to a peer in VXLAN. ovn-trace does not know the peers, and ends at their switches. */
  | {
      readonly how: 'vxlan';
      readonly peer: string;
      /** Address to which the packet is sent in VXLAN. */
      readonly address: string;
      readonly vni: number;
      /** Node that sends the packet; null if it is not known. */
      readonly node: string | null;
    }
  | { readonly how: 'unanswered'; readonly router: string; readonly address: string; readonly port: string }
  | { readonly how: 'unbound'; readonly port: string };

/** A packet's path through logical switches and routers. */
export interface TraceWay {
  readonly packet: TracePacket;
  readonly entry: TracePlace;
  readonly stations: readonly TraceStation[];
  readonly end: TraceEnd;
  /** The packet at the end of the path. */
  readonly last: TracePacket;
}

/** Port at which a packet leaves the node's Open vSwitch. */
export interface TraceOutput {
  readonly bridge: string;
  readonly device: string;
  readonly kind: 'tunnel' | 'patch' | 'port';
  /** Remote end and keys of a tunnel; null for other ports. */
  readonly address: string | null;
  readonly tunId: number | null;
  readonly metadata: number | null;
  /** Names of the logical switch or router and of the ports that the tunnel keys stand for; null for other ports. */
  readonly datapath: string | null;
  readonly inPort: string | null;
  readonly outPort: string | null;
}

/** Result of this node's Open vSwitch for a packet. */
export interface TracePart {
  /** Flow that was passed to Open vSwitch (ovs-vswitchd(8), ofproto/trace). */
  readonly flow: string;
  /** Device at which the packet enters; null if it is not known, for the reason in `remarks`. */
  readonly device: string | null;
  readonly outputs: readonly TraceOutput[];
  /** Bridges on the path that forward by their MAC learning tables. */
  readonly learning: readonly string[];
  /** True if ovn-controller receives the packet or a copy of it, to answer it or to resolve the next hop's MAC. */
  readonly isForController: boolean;
  /**
   * OpenFlow flow that dropped the packet: its cookie, and the logical flow from which OVN made it; null if the packet
   * was not dropped. `flow` is null if the logical flow is not known.
   */
  readonly drop: { readonly cookie: string; readonly flow: TraceFlow | null } | null;
  /** Errors and warnings of Open vSwitch, or the reason why `device` is not known. */
  readonly remarks: readonly string[];
}

/**
 * A path, with the results of this node's Open vSwitch for the packet on the path. The list `here` is empty if the
 * packet does not pass this node.
 */
export interface TracedWay extends TraceWay {
  readonly here: readonly TracePart[];
}

export interface TraceResult {
  readonly question: TraceQuestion;
  /** Node on which the trace was made. */
  readonly node: string;
  readonly there: TracedWay;
  /** Path of the answer to the packet; null if this path was not requested. */
  readonly back: TracedWay | null;
}
