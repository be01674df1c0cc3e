import type { PodPath } from './direct-node.ts';
import type { OverlayPlan } from './overlay.ts';
import type { SharedBridgeChange } from './shared-bridge.ts';

/**
 * A command that changes a network interface or a setting of the kernel, with its reason. The interface is that of the
 * management port, a gateway's NIC, one that leads to hosts that are not pods, or a VXLAN device for a peer.
 */
export interface PortChange {
  /** Program of the command. The agent writes settings of sysctl(8) itself. */
  readonly program: 'ip' | 'bridge' | 'sysctl';
  /** Line of a batch file of ip(8) or bridge(8) (`-batch`), or setting and value for sysctl(8) (`-w`). */
  readonly command: string;
  readonly why: string;
}

/** Returns the command line that would make a change. */
export function kernelCommand({ program, command }: PortChange): string {
  return program === 'sysctl' ? `sysctl -w ${command}` : `${program} ${command}`;
}

/** All changes that this node's part in the overlay needs. Plain JSON. */
export interface OverlayChanges {
  readonly databases: readonly OverlayPlan[];
  readonly managementPort: readonly PortChange[];
  /** Changes of the flows on the node's bridges except br-int, and of the agent's nftables table. */
  readonly demux: readonly SharedBridgeChange[];
  /**
   * Changes of OVN_Northbound for Kubernetes objects, which the central node's daemon writes; null if they were not
   * requested.
   */
  readonly workload: OverlayPlan | null;
  /** Sentences about faults that the plan does not repair. */
  readonly faults: readonly string[];
  /** Sentences for the administrator about facts that are neither drift nor a fault on this node. */
  readonly notices: readonly string[];
}

/**
 * Last answer of a chassis to the central node. `isCurrent` is true if the chassis has answered the latest request.
 * `atMs` is the time of the answer by the chassis' own clock, in ms since 1970; null if the chassis never answered.
 */
export interface ChassisEcho {
  readonly isCurrent: boolean;
  readonly atMs: number | null;
}

/** Tunnel from this node to another one. */
export interface NodeTunnel {
  /** Port of the tunnel in this node's Open vSwitch; null if the port does not exist. */
  readonly port: string | null;
  /**
   * `up`: the other node has just answered through the tunnel. `unproven`: no fault is known, but the tunnel could not
   * be probed.
   */
  readonly state: 'up' | 'down' | 'unproven';
  /** Reason why the tunnel is not up, in words; null if it is up. */
  readonly reason: string | null;
}

/** A node of the cluster as the central node sees it. */
export interface NodeState {
  readonly name: string;
  readonly subnets: readonly string[];
  readonly systemId: string;
  /** Addresses at which the node's tunnels end; empty if the node has not joined yet. */
  readonly addresses: readonly string[];
  readonly state: 'here' | 'joined' | 'not joined';
  /** Tunnel from the central node to the node; null for the central node itself. */
  readonly tunnel: NodeTunnel | null;
  /**
   * Paths from pods of the central node to pods of the node, one for each address family. Empty if one of the two nodes
   * has no pods.
   */
  readonly paths: readonly PodPath[];
  /** Last answer of the node to the central node; null if the node has not registered and so cannot be probed. */
  readonly echo: ChassisEcho | null;
  /** The node's gateway; null if it has none. */
  readonly gateway: {
    readonly bridge: string;
    readonly addresses: readonly string[];
    /** False if the gateway does not answer; no route leads to it then. */
    readonly isUp: boolean;
  } | null;
  /** Days until the certificate that was issued for the node expires; null if none was issued. */
  readonly certificateDays: number | null;
}
