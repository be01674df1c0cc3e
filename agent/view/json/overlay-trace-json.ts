import type { TraceResult } from '../../model/overlay-trace.ts';

/** `overlay trace`: the path of a packet. */
export interface OverlayTraceDocument {
  readonly command: 'overlay trace';
  readonly outcome: 'delivered' | 'dropped';
  readonly question: TraceQuestionJson;
  /** Node on which the trace was made. */
  readonly node: string;
  readonly there: TracedWayJson;
  /** Path of the reply; null if it was not requested, or if the packet neither arrives nor leaves the cluster. */
  readonly back: TracedWayJson | null;
}

/** Packet whose path the user requested. */
export interface TraceQuestionJson {
  readonly source: string;
  readonly destination: string;
  readonly protocol: 'icmp' | 'tcp' | 'udp';
  /** Destination port; null for ICMP, or if the service's own port is used. */
  readonly port: number | null;
  /** Node whose gateway receives a packet from outside; null if the packet may enter at any gateway. */
  readonly fromNode: string | null;
}

/** A packet at one point of its path. */
export interface TracePacketJson {
  readonly ethSource: string;
  readonly ethDestination: string;
  readonly source: string;
  readonly destination: string;
  readonly protocol: 'icmp' | 'tcp' | 'udp';
  /** Source port; null for ICMP, which has no ports. */
  readonly sourcePort: number | null;
  readonly destinationPort: number | null;
  readonly ttl: number;
  /** True if the packet answers another one. */
  readonly isReply: boolean;
}

/** A port of a logical switch or router. */
export interface TracePlaceJson {
  readonly kind: 'switch' | 'router';
  readonly name: string;
  readonly port: string;
  /** Node to which the port is bound; null if the port is on all nodes or on no node. */
  readonly node: string | null;
}

/** A row of OVN that decides about a packet. */
export interface TraceRuleJson {
  /** Table of OVN_Northbound. */
  readonly table: string;
  /** First eight digits of the row's UUID. */
  readonly id: string;
  /** Name of the object from which the row was made, or of the row; empty if the row has no name. */
  readonly name: string;
  /** Description in OVN's notation; empty if the row has no description. */
  readonly says: string;
}

/** A logical flow of OVN. */
export interface TraceFlowJson {
  /** Name of the flow's stage (ovn-sb(5), Logical_Flow). */
  readonly stage: string;
  readonly match: string;
  /** Row that decides about the packet; null if no row does, or if this node does not know the row. */
  readonly rule: TraceRuleJson | null;
}

/** Passage through a tunnel (ovn-architecture(7), "Tunnel Encapsulations"). */
export interface TraceCrossingJson {
  readonly from: string;
  readonly to: string;
  readonly encap: 'geneve' | 'vxlan';
  /** Remote end of the tunnel. */
  readonly address: string;
  readonly datapath: string;
  readonly inPort: string;
  readonly outPort: string;
  readonly tunId: number;
  /** Value of OVN's Geneve option; null for VXLAN. */
  readonly metadata: number | null;
  readonly packet: TracePacketJson;
  /** Packet as it leaves the tunnel, in the notation of ofproto/trace. */
  readonly flow: string;
}

/** Station at which the packet enters a switch or router. */
export interface EnterStationJson extends TracePlaceJson {
  readonly do: 'enter';
}

/** Station at which a rule allows the packet. */
export interface PassStationJson {
  readonly do: 'pass';
  readonly rule: TraceRuleJson;
}

/** Station at which an address of the packet is translated. */
export interface TranslateStationJson {
  readonly do: 'translate';
  readonly what: 'source' | 'destination';
  readonly from: string;
  readonly to: string;
  /** Alternative results of the translation, such as the other backends. */
  readonly others: readonly string[];
  /** True if connection tracking reverses an earlier translation. */
  readonly isReversed: boolean;
  /** Row that causes the translation; null if this node does not know the row. */
  readonly rule: TraceRuleJson | null;
  readonly kind: 'switch' | 'router';
  readonly where: string;
}

/** Station at which a router chooses a route. */
export interface RouteStationJson {
  readonly do: 'route';
  readonly flow: TraceFlowJson;
  /** Next hop; null if the destination is on the link. */
  readonly nextHop: string | null;
  readonly port: string;
}

/** Station at which a router asks for the MAC of an address. */
export interface AskStationJson {
  readonly do: 'ask';
  readonly router: string;
  readonly address: string;
  readonly owner: string;
}

/** Station at which the packet passes a tunnel. */
export interface CrossStationJson {
  readonly do: 'cross';
  readonly crossing: TraceCrossingJson;
}

/** Station at which the packet passes the LAN to another node, without a tunnel. */
export interface DirectStationJson {
  readonly do: 'direct';
  readonly from: string;
  readonly to: string;
  /** Port by which the packet leaves the logical network of the node `from`. */
  readonly outPort: string;
  /** Port by which the packet enters the logical network of the node `to`. */
  readonly inPort: string;
  readonly packet: TracePacketJson;
}

/** One station of a packet's path. */
export type TraceStationJson = MoveStationJson | TranslateStationJson | AskStationJson | NodeStationJson;

/**
 * A station that does not change the packet's addresses: the packet enters a switch or router, is allowed by a rule, or
 * is routed.
 */
export type MoveStationJson = EnterStationJson | PassStationJson | RouteStationJson;

/** A station between two nodes. */
export type NodeStationJson = CrossStationJson | DirectStationJson;

/** The trace ends: the packet leaves at a port. */
export interface PortEndJson {
  readonly how: 'delivered' | 'outside';
  readonly port: string;
  /** Node to which the port is bound; null if it is not known. */
  readonly node: string | null;
}

/** The trace ends: a router answers the packet itself. */
export interface AnsweredEndJson {
  readonly how: 'answered';
  readonly router: string;
}

/** The trace ends: a flow drops or rejects the packet. */
export interface DroppedEndJson {
  readonly how: 'dropped' | 'rejected';
  /** Flow that drops or rejects the packet; null if no flow matches it. */
  readonly flow: TraceFlowJson | null;
  readonly where: string;
}

/** The trace ends: the packet is in a loop (`circles`), or ovn-trace cannot continue (`incomplete`). */
export interface PlaceEndJson {
  readonly how: 'circles' | 'incomplete';
  readonly where: string;
}

/** The trace ends: the packet leaves to a peer in VXLAN. */
export interface VxlanEndJson {
  readonly how: 'vxlan';
  readonly peer: string;
  /** Address to which the packet is sent in VXLAN. */
  readonly address: string;
  readonly vni: number;
  /** Node that sends the packet; null if it is not known. */
  readonly node: string | null;
}

/** The trace ends: no MAC is known for the next hop. */
export interface UnansweredEndJson {
  readonly how: 'unanswered';
  readonly router: string;
  readonly address: string;
  readonly port: string;
}

/** The trace ends: the next port of the packet is bound to no node. */
export interface UnboundEndJson {
  readonly how: 'unbound';
  readonly port: string;
}

/** End of a packet's path. */
export type TraceEndJson =
  | PortEndJson
  | AnsweredEndJson
  | DroppedEndJson
  | PlaceEndJson
  | VxlanEndJson
  | UnansweredEndJson
  | UnboundEndJson;

/** Port at which a packet leaves the node's Open vSwitch. */
export interface TraceOutputJson {
  readonly bridge: string;
  readonly device: string;
  readonly kind: 'tunnel' | 'patch' | 'port';
  /**
   * Remote end of the tunnel. This field and all later fields of the object are null for a port that is not a tunnel.
   */
  readonly address: string | null;
  readonly tunId: number | null;
  readonly metadata: number | null;
  readonly datapath: string | null;
  readonly inPort: string | null;
  readonly outPort: string | null;
}

/** Flow of Open vSwitch that drops the packet. */
export interface TraceDropJson {
  readonly cookie: string;
  /** Flow of OVN from which the flow of Open vSwitch was made; null if it is not known. */
  readonly flow: TraceFlowJson | null;
}

/** Result of this node's Open vSwitch for the packet. */
export interface TracePartJson {
  /** Flow that was passed to ofproto/trace (ovs-vswitchd(8)). */
  readonly flow: string;
  /** Device at which the packet enters; null if it is not known, for the reason in `remarks`. */
  readonly device: string | null;
  readonly outputs: readonly TraceOutputJson[];
  /** Bridges on the path that forward by their MAC learning tables. */
  readonly learning: readonly string[];
  /** True if ovn-controller receives the packet or a copy of it. */
  readonly isForController: boolean;
  /** Flow that drops the packet; null if it is not dropped. */
  readonly drop: TraceDropJson | null;
  readonly remarks: readonly string[];
}

/** A path through the logical network, and the results of this node's Open vSwitch. */
export interface TracedWayJson {
  readonly packet: TracePacketJson;
  readonly entry: TracePlaceJson;
  readonly stations: readonly TraceStationJson[];
  readonly end: TraceEndJson;
  /** The packet at the end of the path. */
  readonly last: TracePacketJson;
  /** Results of this node's Open vSwitch; empty if the packet does not pass this node. */
  readonly here: readonly TracePartJson[];
}

/** Returns the document of `overlay trace`. */
export function traceDocument(result: TraceResult, outcome: OverlayTraceDocument['outcome']): OverlayTraceDocument {
  const { question, node, there, back } = result;
  return { command: 'overlay trace', outcome, question, node, there, back };
}
