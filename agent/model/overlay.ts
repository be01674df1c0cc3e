import type { OverlayPeer } from './overlay-peer.ts';
import type { AttachedInterface, OverlayPort } from './overlay-port.ts';
import type { DatabaseRows, RowPlan } from './rows.ts';

/** Layout of a cluster's rows: `modern` as in today's ovn-kubernetes, `seed` as in ovn-kubernetes of 2017. */
export type OverlayNaming = 'modern' | 'seed';

/** Settings that all nodes of a cluster share. Each list has at most one entry per address family, IPv4 first. */
export interface OverlayLayout {
  readonly naming: OverlayNaming;
  readonly clusterSubnets: readonly string[];
  readonly serviceSubnets: readonly string[];
  readonly joinSubnets: readonly string[];
  /** MTU in bytes of the pods' interfaces and of the management ports. */
  readonly mtu: number;
  /** Value of external_ids:owner in the rows of this product, by which stale rows are found. */
  readonly owner: string;
}

/** A socket that receives packets for a TCP, UDP or SCTP port of the node. */
export interface Listener {
  readonly protocol: 'tcp' | 'udp' | 'sctp';
  /** Address to which the socket is bound; null if it receives at every address of the node. */
  readonly address: string | null;
  readonly port: number;
}

/** A range of ports, both ends included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Ports and address ranges that the configuration permits services and pods to use. */
export interface ServiceExposure {
  /** Ports of the nodes' own addresses that services may use: the NodePort range, and the ports that ovn.yaml lists. */
  readonly nodePorts: readonly PortRange[];
  /** Address ranges in which `externalIPs` are served. */
  readonly externalRanges: readonly string[];
  /**
   * Namespaces whose pods may ask for addresses, each with a range; empty if pods of every namespace may ask for any
   * address.
   */
  readonly fixedRanges: readonly FixedRange[];
}

/** A range whose addresses the pods of a namespace may ask for. */
export interface FixedRange {
  readonly namespace: string;
  readonly range: string;
}

export type EncapType = 'geneve' | 'vxlan';

/**
 * Path of packets between pods of two nodes: `always` through tunnels, `auto` without a tunnel where a direct route
 * works, `never` by direct routes only.
 */
export type Encapsulation = 'always' | 'auto' | 'never';

/** A node of the cluster, with the properties from which its rows follow. */
export interface OverlayNode {
  /** Name of the node in Kubernetes. */
  readonly name: string;
  /** Number of the node, from 1, unique in the cluster. The address of the node's gateway router follows from it. */
  readonly id: number;
  /** external_ids:system-id of the node's Open vSwitch, which is also the name of its chassis. */
  readonly systemId: string;
  /**
   * Subnets of the node's pods, at most one per address family; empty for a node without pods, such as a pure gateway.
   */
  readonly subnets: readonly string[];
  readonly encap: { readonly types: readonly EncapType[]; readonly addresses: readonly string[] };
  /** MAC of the management port, if its interface exists already; null if the MAC follows from the port's address. */
  readonly managementMac: string | null;
  /** The node's own addresses, which pods of its subnets reach through the management port. */
  readonly hostAddresses: readonly string[];
  /**
   * Addresses on the node's interfaces besides `hostAddresses`, such as a second address of br-ex or an address of
   * another NIC. Absent if they are not known.
   */
  readonly furtherAddresses?: readonly string[];
  /**
   * All addresses of the node's interfaces outside of the cluster's ranges, in the form `address/prefix`. Absent if
   * they are not known.
   */
  readonly hostCidrs?: readonly string[];
  /**
   * Ranges of the outside clients that reach the node's pods by a route. Absent if the node permits none, or if they
   * are not known.
   */
  readonly outsideClients?: readonly string[];
  /**
   * Names of the nodes whose packets arrive at this node by the direct route, with the suffix `/ipv6` for packets over
   * IPv6. Null if the node takes part in no direct routes; absent if that is not known.
   */
  readonly direct?: readonly string[] | null;
  /** Sockets of the node's processes on ports that a service could use. Absent if they are not known. */
  readonly listeners?: readonly Listener[];
  readonly gateway: OverlayGateway | null;
  /**
   * Ports of the node's switch for hosts that are not pods. Absent if the switch has no such ports, or if the ports are
   * not known.
   */
  readonly ports?: readonly OverlayPort[];
  /**
   * Addresses and subnets that the central node has granted to a member's gateway. Only the central node's record has
   * this field; absent if nothing has been granted.
   */
  readonly granted?: GatewayGrant;
}

/** A node's gateway, through which traffic leaves the cluster. */
export interface OverlayGateway {
  /** Open vSwitch bridge whose NIC the gateway uses: br-ex, or a bridge that was made for a NIC. */
  readonly bridge: string;
  /** `shared` if the node itself has its address on the bridge; `dedicated` if only the gateway uses the bridge. */
  readonly kind: 'shared' | 'dedicated';
  /** NIC of a dedicated bridge that was made for the gateway; null if the bridge was not made for it. */
  readonly interface: string | null;
  /** Name of the network in ovn-bridge-mappings. */
  readonly physicalNetwork: string;
  /**
   * MAC with which the gateway answers: that of the bridge or NIC, or one that is derived from the gateway's address.
   */
  readonly mac: string;
  /** Addresses in the form `address/prefix`, at most one per family. */
  readonly addresses: readonly string[];
  readonly nextHops: readonly string[];
  readonly vlan: number | null;
  /**
   * Subnets of pods, on any node, whose traffic leaves the cluster through this gateway (`rampout` of ovn-kubernetes'
   * tool of 2017).
   */
  readonly subnets: readonly string[];
  /**
   * True if several nodes have the gateway's addresses; of these nodes, the first one that answers uses them. Absent if
   * only this node has the addresses.
   */
  readonly isVip?: true;
  /** False if the gateway does not answer; packets of other nodes are not sent to it then. */
  readonly isUp: boolean;
}

/** A tunnel end that a chassis has registered (ovn-sb(5), Encap). */
export interface ChassisEncap {
  readonly address: string;
  readonly type: string;
  /**
   * Name of the chassis whose certificate permits a change of the tunnel end; empty if the release of OVN has no column
   * for this name.
   */
  readonly owner: string;
}

/**
 * Addresses and subnets that the central node has granted a member's gateway beyond the member's tunnel address and
 * subnets.
 */
export interface GatewayGrant {
  /**
   * Addresses in the form `address` or `address/prefix`. A gateway that several nodes share needs the form with a
   * prefix.
   */
  readonly addresses: readonly string[];
  /** Subnets of pods, on any node, whose traffic may leave the cluster through the gateway. */
  readonly subnets: readonly string[];
}

/** A chassis that has registered in the southbound database. */
export interface OverlayChassis {
  readonly name: string;
  readonly hostname: string;
  readonly encaps: readonly ChassisEncap[];
  /**
   * Values of `ovn-cms-options` and `ovn-bridge-mappings` of the chassis' node (ovn-controller(8)). Absent if the node
   * sets none.
   */
  readonly cmsOptions?: string;
  readonly bridgeMappings?: string;
  /** True if the ovn-controller exchanges packets with VTEPs outside of the cluster. Absent if it does not. */
  readonly hasVteps?: true;
}

/** Facts from which the rows of OVN_Northbound are planned. */
export interface NorthboundFacts {
  readonly layout: OverlayLayout;
  /** Nodes for which rows are planned. Rows of other nodes do not change. */
  readonly nodes: readonly OverlayNode[];
  /** Nodes whose rows are removed. */
  readonly leaving: readonly string[];
  /**
   * Name of the central node, which has OVN's databases. A new router of the cluster in layout `seed` has this name.
   */
  readonly centralNode: string;
  readonly rows: DatabaseRows;
  /**
   * MACs for new ports in the layout `seed`, in the order in which a plan uses them. The function `macsNeeded` returns
   * a sufficient number of MACs.
   */
  readonly randomMacs: readonly string[];
  /** Interval of BFD between nodes whose gateways share an address. Absent if the database keeps its interval. */
  readonly bfdIntervalMs?: number;
  /** Peers of the cluster. Absent if it has none. */
  readonly peers?: readonly OverlayPeer[];
  /**
   * True if a new port for hosts that are not pods stays disabled until the planner of network policies has seen it.
   * Absent if no such planner runs.
   */
  readonly holdsPorts?: boolean;
  /** True if no packet between pods of two nodes uses a tunnel. Absent if tunnels are used. */
  readonly isDirectOnly?: boolean;
  /** Present state of the gateway addresses that several nodes share. Absent if it has not been read. */
  readonly sharedAddresses?: SharedAddresses;
}

/** Present state of the gateway addresses that several nodes share, as the central node sees it. */
export interface SharedAddresses {
  /**
   * System-id of the chassis that has the address, by the name of the address's port on the cluster's router. Every
   * member may write this claim (ovn-sb(5), Port_Binding, `chassis`). A port that no chassis has is left out.
   */
  readonly holders: Readonly<Record<string, string>>;
  /**
   * System-ids of the chassis to which all of the central node's tunnels have failed. A tunnel that has not worked yet
   * since the start of Open vSwitch has not failed.
   */
  readonly unreached: readonly string[];
  /** System-ids of the chassis with which no BFD session of the central node is up at both ends. */
  readonly unconfirmed: readonly string[];
  /**
   * Last value of nb_cfg that the ovn-controller of each chassis has applied (ovn-sb(5), Chassis_Private), by
   * system-id. Absent with OVN before 20.09, which has no such table.
   */
  readonly answers?: Readonly<Record<string, number>>;
}

/** Facts from which a node's own rows of Open_vSwitch are planned. */
export interface LocalFacts {
  readonly layout: OverlayLayout;
  readonly node: OverlayNode;
  /** Addresses of the southbound database, `ssl:192.0.2.1:6642`; several for a clustered database. */
  readonly southbound: readonly string[];
  /**
   * Addresses of the northbound database, for older tools that read them in Open_vSwitch; empty if they are not
   * announced.
   */
  readonly northbound: readonly string[];
  /** Data path of br-int; null for the kernel data path. */
  readonly datapathType: 'netdev' | null;
  /**
   * Certificate signing request that the node announces to the central node; null to announce no request; absent to
   * leave the present announcement as it is.
   */
  readonly request?: string | null;
  /**
   * Interfaces to attach to br-int for hosts that are not pods. Null if they are not known; in this case, the present
   * ports of br-int stay. Absent if the node has no such interfaces.
   */
  readonly attached?: readonly AttachedInterface[] | null;
  /**
   * True if the cluster has peers that are reached in VXLAN. Null if that is not known; in this case, the present
   * settings for them stay. Absent if it has none.
   */
  readonly hasVteps?: boolean | null;
  readonly rows: DatabaseRows;
}

/** Facts from which the connections of OVN_Northbound or OVN_Southbound are planned. */
export interface CentralFacts {
  readonly owner: string;
  /** Desired connections on which the server of the database listens. */
  readonly connections: readonly OverlayConnection[];
  readonly tls: OverlayTls | null;
  /** Keys of SB_Global.external_ids that members read. Absent if the agent's keys have to be removed. */
  readonly published?: Readonly<Record<string, string>>;
  readonly rows: DatabaseRows;
}

export interface OverlayConnection {
  /** Connection method of ovsdb(7): `pssl:6642:192.0.2.1`, `ptcp:6641`. */
  readonly target: string;
  /**
   * RBAC role of a connection to the southbound database, which limits the rows that a client may write; null for no
   * limit.
   */
  readonly role: 'ovn-controller' | null;
  readonly inactivityProbeMs: number;
}

/**
 * A connection of a central database over which clients on other hosts, or users of this node other than root, may
 * write every row.
 */
export interface OpenListener {
  readonly database: string;
  /** Connection method of ovsdb(7), such as `ptcp:6641`. */
  readonly target: string;
  /**
   * True if a row of Connection defines the connection; false if the server has it from its command line or from
   * ovs-appctl(8) (ovsdb-server(8), ovsdb-server/add-remote).
   */
  readonly isInDatabase: boolean;
}

/** TLS files on the central node. */
export interface OverlayTls {
  readonly privateKey: string;
  readonly certificate: string;
  readonly caCertificate: string;
}

/** The plan for one database, with one trace line per decision. */
export interface OverlayPlan extends RowPlan {
  readonly trace: readonly string[];
}
