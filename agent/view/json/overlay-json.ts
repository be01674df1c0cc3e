import type { OverlayGateway, OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import type { OverlayChanges } from '../../model/overlay-plan.ts';
import type { OverlayRecord } from '../../model/overlay-record.ts';
import type { RowPlan } from '../../model/rows.ts';
import { countChanges, countWorkload } from '../overlay-view.ts';

/** Changes of a node's part in the overlay. */
export interface OverlayChangesJson {
  /** Changes of rows in the databases of Open vSwitch and OVN. */
  readonly rows: readonly RowChangeJson[];
  /**
   * Commands of ip(8) and bridge(8) and settings of sysctl(8) for the interface of the node's management port, the NIC
   * of its gateway, the interfaces of its overlay ports, and the VXLAN devices of peers.
   */
  readonly kernel: readonly KernelChangeJson[];
  /** OpenFlow flows on the bridges of this node except br-int, and the agent's nftables table. */
  readonly flows: readonly FlowChangeJson[];
  /** Rows for Kubernetes objects, which the central node's daemon writes; null if they were not compared. */
  readonly kubernetesRows: readonly RowChangeJson[] | null;
  /** Faults for which no change is planned, one sentence each. */
  readonly faults: readonly string[];
  /** Information for the administrator that is not drift. */
  readonly notices: readonly string[];
}

/** Change of one row of a database. */
export interface RowChangeJson {
  readonly database: string;
  readonly table: string;
  /** Name of the row. */
  readonly row: string;
  readonly change: 'insert' | 'update' | 'delete';
  readonly why: string;
}

/** A command of ip(8) or bridge(8), or a setting of sysctl(8). */
export interface KernelChangeJson {
  readonly program: 'ip' | 'bridge' | 'sysctl';
  /** Words of the command after `ip`, `bridge` or `sysctl -w`. */
  readonly command: string;
  readonly why: string;
}

/** Change of an OpenFlow flow, or of the agent's nftables table. */
export interface FlowChangeJson {
  readonly change: 'add' | 'remove';
  /** The flow in the notation of ovs-ofctl(8), or a text that names several flows or the agent's nftables table. */
  readonly flow: string;
  readonly why: string;
}

/** Node of an overlay. */
export interface OverlayNodeJson {
  /** Name of the node in Kubernetes. */
  readonly name: string;
  /** system-id of the node's Open vSwitch, which is also the name of its chassis. */
  readonly systemId: string;
  /** Subnets of the node's pods; empty for a node that is only a gateway. */
  readonly subnets: readonly string[];
  /** Addresses at which the node's tunnels end. */
  readonly encapAddress: readonly string[];
  readonly gateway: GatewayJson | null;
}

/** Gateway of a node. */
export interface GatewayJson {
  readonly bridge: string;
  /** NIC of a bridge that was made for the gateway; null for a bridge that existed before. */
  readonly interface: string | null;
  /** Addresses of the gateway as `address/prefix`. */
  readonly addresses: readonly string[];
  readonly nextHops: readonly string[];
  readonly vlan: number | null;
  /** Subnets whose traffic leaves by the gateway. */
  readonly subnets: readonly string[];
  /** True if several nodes share the gateway's addresses; only one of these nodes uses them at a time. */
  readonly isVip: boolean;
}

/** Ranges of an overlay, with the keys of ovn.yaml. */
export interface OverlayRangesJson {
  readonly clusterSubnet: readonly string[];
  readonly serviceSubnet: readonly string[];
  readonly joinSubnet: readonly string[];
  /** MTU of the pods in bytes. */
  readonly mtu: number;
}

/** `overlay init`: the cluster that was made. */
export interface OverlayInitDocument {
  readonly command: 'overlay init';
  readonly outcome: 'changed' | 'unchanged';
  readonly node: OverlayNodeJson;
  readonly ranges: OverlayRangesJson;
  readonly changes: OverlayChangesJson;
}

/** `overlay join`: the node that joined. */
export interface OverlayJoinDocument {
  readonly command: 'overlay join';
  readonly outcome: 'changed' | 'unchanged';
  readonly node: OverlayNodeJson;
  readonly changes: OverlayChangesJson;
}

/** `overlay plan`: the changes that `overlay apply` would make. */
export interface OverlayPlanDocument {
  readonly command: 'overlay plan';
  /** `problem`: no change is planned, but `changes.faults` names at least one fault. */
  readonly outcome: 'as-wanted' | 'changes' | 'problem';
  readonly changes: OverlayChangesJson;
}

/** `overlay verify`: the differences between this node and its desired state in the overlay. */
export interface OverlayVerifyDocument {
  readonly command: 'overlay verify';
  readonly outcome: 'as-wanted' | 'drift';
  readonly changes: OverlayChangesJson;
}

/** `overlay apply`: the changes that were made. */
export interface OverlayApplyDocument {
  readonly command: 'overlay apply';
  readonly outcome: 'changed' | 'unchanged';
  /** True if the command has started ovn-controller. */
  readonly isStarted: boolean;
  readonly changes: OverlayChangesJson;
}

/** `overlay gateway`: the gateway of this node. */
export interface OverlayGatewayDocument {
  readonly command: 'overlay gateway';
  readonly outcome: 'changed' | 'unchanged';
  /** Gateway; null if the node is not a gateway. */
  readonly gateway: GatewayJson | null;
  readonly changes: OverlayChangesJson;
}

/** Returns changes of the overlay for JSON. */
export function overlayChangesJson(changes: OverlayChanges): OverlayChangesJson {
  const { databases, managementPort, demux, workload, faults, notices } = changes;
  return {
    rows: databases.flatMap(rowsJson),
    kernel: managementPort.map(({ program, command, why }) => ({ program, command, why })),
    flows: demux.map(({ do: change, what, why }) => ({ change, flow: what, why })),
    kubernetesRows: workload && rowsJson(workload),
    faults,
    notices,
  };
}

function rowsJson({ database, changes }: RowPlan): readonly RowChangeJson[] {
  return changes.map(({ do: change, table, title: row, why }) => ({ database, table, row, change, why }));
}

function nodeJson({ name, systemId, subnets, encap, gateway }: OverlayNode): OverlayNodeJson {
  return { name, systemId, subnets, encapAddress: encap.addresses, gateway: gatewayJson(gateway) };
}

function gatewayJson(gateway: OverlayGateway | null): GatewayJson | null {
  if (gateway === null) return null;
  const { bridge, interface: nic, addresses, nextHops, vlan, subnets, isVip = false } = gateway;
  return { bridge, interface: nic, addresses, nextHops, vlan, subnets, isVip };
}

function rangesJson({ clusterSubnets, serviceSubnets, joinSubnets, mtu }: OverlayLayout): OverlayRangesJson {
  return { clusterSubnet: clusterSubnets, serviceSubnet: serviceSubnets, joinSubnet: joinSubnets, mtu };
}

/** Returns the outcome of a command: `unchanged` if it has changed no row, kernel setting or flow. */
export function appliedOutcome(changes: OverlayChanges): 'changed' | 'unchanged' {
  return countChanges(changes) === 0 ? 'unchanged' : 'changed';
}

/** Returns the document of `overlay init`. */
export function initDocument({ node, layout }: OverlayRecord, changes: OverlayChanges): OverlayInitDocument {
  return {
    command: 'overlay init',
    outcome: appliedOutcome(changes),
    node: nodeJson(node),
    ranges: rangesJson(layout),
    changes: overlayChangesJson(changes),
  };
}

/** Returns the document of `overlay join`. */
export function joinDocument({ node }: OverlayRecord, changes: OverlayChanges): OverlayJoinDocument {
  return {
    command: 'overlay join',
    outcome: appliedOutcome(changes),
    node: nodeJson(node),
    changes: overlayChangesJson(changes),
  };
}

/** Returns the document of `overlay plan`. */
export function overlayPlanDocument(changes: OverlayChanges): OverlayPlanDocument {
  const count = countChanges(changes) + countWorkload(changes);
  const still = changes.faults.length === 0 ? 'as-wanted' : 'problem';
  return { command: 'overlay plan', outcome: count === 0 ? still : 'changes', changes: overlayChangesJson(changes) };
}

/** Returns the document of `overlay verify`. */
export function overlayVerifyDocument(changes: OverlayChanges): OverlayVerifyDocument {
  const isWanted = countChanges(changes) + countWorkload(changes) + changes.faults.length === 0;
  const outcome = isWanted ? 'as-wanted' : 'drift';
  return { command: 'overlay verify', outcome, changes: overlayChangesJson(changes) };
}

/** Returns the document of `overlay apply`. */
export function overlayApplyDocument(changes: OverlayChanges, isStarted: boolean): OverlayApplyDocument {
  const outcome = isStarted ? 'changed' : appliedOutcome(changes);
  return { command: 'overlay apply', outcome, isStarted, changes: overlayChangesJson(changes) };
}

/** Returns the document of `overlay gateway`. */
export function gatewayDocument({ node }: OverlayRecord, changes: OverlayChanges): OverlayGatewayDocument {
  return {
    command: 'overlay gateway',
    outcome: appliedOutcome(changes),
    gateway: gatewayJson(node.gateway),
    changes: overlayChangesJson(changes),
  };
}
