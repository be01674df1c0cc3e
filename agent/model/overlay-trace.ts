/** What `overlay trace` was asked, and what came of it. All of it is plain JSON. */

export type TraceProtocol = 'icmp' | 'tcp' | 'udp';

export interface TraceQuestion {
  /** A node, a pod (`namespace/name`), a logical port or an address. */
  readonly source: string;
  readonly destination: string;
  readonly protocol: TraceProtocol;
  /** Destination port; null: icmp, or the one that the service has. */
  readonly port: number | null;
  /** By whose gateway an address outside of the cluster comes in; null: the first that fits. */
  readonly fromNode: string | null;
}

/** A packet at some place of its way. */
export interface TracePacket {
  readonly ethSource: string;
  readonly ethDestination: string;
  readonly source: string;
  readonly destination: string;
  readonly protocol: TraceProtocol;
  /** null: icmp has none. */
  readonly sourcePort: number | null;
  readonly destinationPort: number | null;
  readonly ttl: number;
  /** It answers another one: an echo reply, where it is icmp. */
  readonly isReply: boolean;
}

/** A port of a logical switch or router. */
export interface TracePlace {
  readonly kind: 'switch' | 'router';
  readonly name: string;
  readonly port: string;
  /** The node that has the port; null: all have it, or none. */
  readonly node: string | null;
}

/** A row of OVN that decides about a packet, named by what made it. */
export interface TraceRule {
  /** Of OVN_Northbound. */
  readonly table: string;
  /** The first eight digits of its UUID. */
  readonly id: string;
  /** What it is called: `NetworkPolicy web/deny-all`, `Service default/web`, or its own name; empty: it has none. */
  readonly name: string;
  /** What it says, in OVN's words; empty: nothing that is short. */
  readonly says: string;
}

/** A flow of OVN, and the row that it was made from. */
export interface TraceFlow {
  /** Its stage, by name: numbers of tables differ from release to release (ovn-sb(5), Logical_Flow). */
  readonly stage: string;
  readonly match: string;
  /** null: no row decides here. */
  readonly rule: TraceRule | null;
}

/** Where a packet goes from one node to another, and by which keys the other knows what it is (ovn-architecture(7), "Tunnel Encapsulations"). */
export interface TraceCrossing {
  readonly from: string;
  readonly to: string;
  readonly encap: 'geneve' | 'vxlan';
  /** Where the tunnel ends. */
  readonly address: string;
  readonly datapath: string;
  readonly inPort: string;
  readonly outPort: string;
  readonly tunId: number;
  /** Geneve's option of OVN; VXLAN has none. */
  readonly metadata: number | null;
  readonly packet: TracePacket;
  /** The packet as it comes out of the tunnel, in the words of ofproto/trace; only that node knows the number of its port, TUNNEL here. */
  readonly flow: string;
}

export type TraceStation =
  | ({ readonly do: 'enter' } & TracePlace)
  | { readonly do: 'pass'; readonly rule: TraceRule }
  | {
      readonly do: 'translate';
      readonly what: 'source' | 'destination';
      readonly from: string;
      readonly to: string;
      /** What it could have become instead. */
      readonly others: readonly string[];
      /** Connection tracking takes back what was done to the packet that this one answers. */
      readonly isTakenBack: boolean;
      /** null: no row that is known here. */
      readonly rule: TraceRule | null;
      readonly kind: TracePlace['kind'];
      readonly where: string;
    }
  | { readonly do: 'route'; readonly flow: TraceFlow; readonly nextHop: string | null; readonly port: string }
  | { readonly do: 'ask'; readonly router: string; readonly address: string; readonly owner: string }
  | { readonly do: 'cross'; readonly crossing: TraceCrossing };

export type TraceEnd =
  | { readonly how: 'delivered'; readonly port: string; readonly node: string | null }
  | { readonly how: 'outside'; readonly port: string; readonly node: string | null }
  | { readonly how: 'answered'; readonly router: string }
  | {
      readonly how: 'dropped' | 'rejected';
      /** null: no flow takes such a packet. */
      readonly flow: TraceFlow | null;
      readonly where: string;
    }
  /** It is at the same place a second time. */
  | { readonly how: 'circles'; readonly where: string }
  /** ovn-trace goes no further: it does not look for the connection of a packet to a gateway's own address. */
  | { readonly how: 'untold'; readonly where: string }
  | { readonly how: 'unanswered'; readonly router: string; readonly address: string; readonly port: string }
  | { readonly how: 'unbound'; readonly port: string };

/** A packet's way through the logical network. */
export interface TraceWay {
  readonly packet: TracePacket;
  readonly entry: TracePlace;
  readonly stations: readonly TraceStation[];
  readonly end: TraceEnd;
  /** What it looks like there. */
  readonly last: TracePacket;
}

/** Where a packet comes out of the node's Open vSwitch. */
export interface TraceOutput {
  readonly bridge: string;
  readonly device: string;
  readonly kind: 'tunnel' | 'patch' | 'port';
  /** Of a tunnel. */
  readonly address: string | null;
  readonly tunId: number | null;
  readonly metadata: number | null;
  /** The names behind those keys. */
  readonly datapath: string | null;
  readonly inPort: string | null;
  readonly outPort: string | null;
}

/** What Open vSwitch of this node does with it. */
export interface TracePart {
  /** The question as it was put to Open vSwitch (ovs-vswitchd(8), ofproto/trace). */
  readonly flow: string;
  /** By which it comes in; null: there is none, see `remarks`. */
  readonly device: string | null;
  readonly outputs: readonly TraceOutput[];
  /** Bridges on its way that forward by what they have learned. */
  readonly learning: readonly string[];
  /** ovn-controller gets the packet or a copy of it, to answer it or to ask for somebody. */
  readonly isForController: boolean;
  /** Who let it go no further; null: somebody else took it. */
  readonly drop: { readonly cookie: string; readonly flow: TraceFlow | null } | null;
  /** What Open vSwitch complains of. */
  readonly remarks: readonly string[];
}

/** A way, and what Open vSwitch of this node does with the packet on it; nothing, where it does not come by here. */
export interface TracedWay extends TraceWay {
  readonly here: readonly TracePart[];
}

export interface TraceResult {
  readonly question: TraceQuestion;
  /** Where it was asked. */
  readonly node: string;
  readonly there: TracedWay;
  /** The way of the answer; null: nobody asked. */
  readonly back: TracedWay | null;
}
