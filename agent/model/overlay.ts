import type { DatabaseRows, RowPlan } from './rows.ts';

/** How a cluster's rows are named: as ovn-kubernetes of today does, or as its first tool of 2017 did. */
export type OverlayNaming = 'modern' | 'seed';

/** What all nodes of a cluster have in common. Of each list at most one entry per family, IPv4 first. */
export interface OverlayLayout {
  readonly naming: OverlayNaming;
  readonly clusterSubnets: readonly string[];
  readonly serviceSubnets: readonly string[];
  readonly joinSubnets: readonly string[];
  /** Of the pods' and management interfaces. */
  readonly mtu: number;
  /** Value of external_ids:owner of every row of ours. Only rows that carry it are ever deleted. */
  readonly owner: string;
}

/** A socket that takes what arrives at a port of the node. */
export interface Listener {
  readonly protocol: 'tcp' | 'udp' | 'sctp';
  /** null: every address of the node. */
  readonly address: string | null;
  readonly port: number;
}

/** Ports from the first to the last. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Ports and addresses outside of the cluster that services may use. */
export interface ServiceExposure {
  /** Ports of a node's own addresses: the NodePort range, and the ports that ovn.yaml lists. */
  readonly nodePorts: readonly PortRange[];
  /** Where `externalIPs` are served. */
  readonly externalRanges: readonly string[];
  /** Namespaces whose pods may ask for addresses, each with a range; empty if pods of every namespace may ask for any address. */
  readonly fixedRanges: readonly FixedRange[];
}

/** A namespace whose pods may ask for the addresses of a range. */
export interface FixedRange {
  readonly namespace: string;
  readonly range: string;
}

export type EncapType = 'geneve' | 'vxlan';

/** One node of the cluster, as far as rows depend on it. */
export interface OverlayNode {
  /** The kubelet's name of the node. */
  readonly name: string;
  /** From 1; the address of its gateway router follows from it. No two nodes have the same. */
  readonly id: number;
  /** external_ids:system-id of its Open vSwitch, which is its chassis' name. */
  readonly systemId: string;
  /** At most one per family; empty: a node without pods, such as one that is a gateway only. */
  readonly subnets: readonly string[];
  readonly encap: { readonly types: readonly EncapType[]; readonly addresses: readonly string[] };
  /** Of its management port, where the interface is there already; null: it follows from the port's address. */
  readonly managementMac: string | null;
  /** Its own addresses, which pods of its subnets reach through the management port. */
  readonly hostAddresses: readonly string[];
  /** Where processes of the node listen, as far as a service could ask for the same port. Absent: not known. */
  readonly listeners?: readonly Listener[];
  readonly gateway: OverlayGateway | null;
  /** Grant of a member in the record of the central node. Absent if nothing has been granted. */
  readonly granted?: GatewayGrant;
}

/** The way of a node out of the cluster. */
export interface OverlayGateway {
  /** The Open vSwitch bridge whose NIC it leaves by: br-ex, or one that a NIC of its own was given. */
  readonly bridge: string;
  /** `shared`: the node itself has its address there; `dedicated`: nobody but the gateway has. */
  readonly kind: 'shared' | 'dedicated';
  /** The NIC of a dedicated bridge, which was made for it; null: the bridge is somebody else's. */
  readonly interface: string | null;
  /** Name of the network in ovn-bridge-mappings. */
  readonly physicalNetwork: string;
  /** Of the bridge or the NIC. */
  readonly mac: string;
  /** `address/prefix`, at most one per family. */
  readonly addresses: readonly string[];
  readonly nextHops: readonly string[];
  readonly vlan: number | null;
  /** Subnets that leave here, whichever node they are on ("rampout"). */
  readonly subnets: readonly string[];
  /** Several nodes have it together, and the first of them that answers has its address. Absent: it is this node's alone. */
  readonly isVip?: true;
  /** False: no packet of another node is led here, because it does not answer. */
  readonly isUp: boolean;
}

/** A place where a chassis says that tunnels to it end (ovn-sb(5), Encap). */
export interface ChassisEncap {
  readonly address: string;
  readonly type: string;
  /** The chassis whose certificate may write the row; empty: a release of OVN before there was a column for it. */
  readonly owner: string;
}

/** Addresses and subnets that the central node has granted a member's gateway beyond the member's tunnel address and its own subnets. */
export interface GatewayGrant {
  /** `address` or `address/prefix`; a gateway that several nodes have together needs the latter. */
  readonly addresses: readonly string[];
  /** Subnets of the cluster that may leave by it, whichever node they are on. */
  readonly subnets: readonly string[];
}

/** A chassis of the southbound database: who has registered so far. */
export interface OverlayChassis {
  readonly name: string;
  readonly hostname: string;
  readonly encaps: readonly ChassisEncap[];
  /** `ovn-cms-options` and `ovn-bridge-mappings` of its node (ovn-controller(8)). Absent: it has none. */
  readonly cmsOptions?: string;
  readonly bridgeMappings?: string;
}

/** Everything that the rows of OVN_Northbound are planned from. */
export interface NorthboundFacts {
  readonly layout: OverlayLayout;
  /** Nodes that shall be as said; rows of others are left alone. */
  readonly nodes: readonly OverlayNode[];
  /** Nodes whose rows shall go. */
  readonly leaving: readonly string[];
  /** The node after which `seed` names the cluster's router, where there is none yet. */
  readonly centralNode: string;
  readonly rows: DatabaseRows;
  /** MACs for new ports in `seed`, used in their order; `macsNeeded` of them are always enough. */
  readonly randomMacs: readonly string[];
}

/** Everything that a node's own rows of Open_vSwitch are planned from. */
export interface LocalFacts {
  readonly layout: OverlayLayout;
  readonly node: OverlayNode;
  /** Where the southbound database answers, `ssl:192.0.2.1:6642`; several: a cluster. */
  readonly southbound: readonly string[];
  /** Where the northbound database answers, for the older tools that read it here; empty: not said. */
  readonly northbound: readonly string[];
  /** The data path of br-int; null: the kernel's. */
  readonly datapathType: 'netdev' | null;
  /** The request for a certificate that the node announces; null: it asks for none; absent: what is announced stays. */
  readonly request?: string | null;
  readonly rows: DatabaseRows;
}

/** Everything that the connections of OVN_Northbound or OVN_Southbound are planned from. */
export interface CentralFacts {
  readonly owner: string;
  /** Listeners that shall be there. */
  readonly connections: readonly OverlayConnection[];
  readonly tls: OverlayTls | null;
  /** Keys of SB_Global.external_ids that members read; absent: none of ours shall be there. */
  readonly published?: Readonly<Record<string, string>>;
  readonly rows: DatabaseRows;
}

export interface OverlayConnection {
  /** `pssl:6642:192.0.2.1`, `ptcp:6641` (ovsdb(7), connection methods). */
  readonly target: string;
  /** Of the southbound database: what who connects here may write. */
  readonly role: 'ovn-controller' | null;
  readonly inactivityProbeMs: number;
}

/** A connection of a central database over which others may write every row. */
export interface OpenListener {
  readonly database: string;
  /** `ptcp:6641` (ovsdb(7), connection methods). */
  readonly target: string;
  /** True: a row of Connection says so; false: the server was started with it. */
  readonly isInDatabase: boolean;
}

/** Files on the central node. */
export interface OverlayTls {
  readonly privateKey: string;
  readonly certificate: string;
  readonly caCertificate: string;
}

/** The plan of one database, with one line per decision. */
export interface OverlayPlan extends RowPlan {
  readonly trace: readonly string[];
}
