import type { PodPath } from './direct-node.ts';
import type { Membership } from './missing-port.ts';
import type { OverlayPeer } from './overlay-peer.ts';

/** State of this boot's `overlay run`, which the daemon writes for other commands. Plain JSON. */
export interface OverlayDaemon {
  readonly format: 1;
  readonly pid: number;
  /** Start time of the process in clock ticks since boot. Together with the process id it identifies the process. */
  readonly startTime: number;
  /** Date and time of the daemon's start. */
  readonly since: string;
  /** Error of the last attempt to bring the node into the desired state; null if that attempt succeeded. */
  readonly failure: { readonly message: string; readonly hint: string | null; readonly since: string } | null;
  /**
   * State of the watcher on the central node; null if the daemon knows no cluster yet, or if this node is not the
   * central node.
   */
  readonly watcher: WatcherState | null;
  /**
   * Values of SB_Global.nb_cfg (ovn-sb(5)) by which the central node requested answers from the gateways, newest first.
   */
  readonly asked: readonly number[];
}

/** State of the watcher, which writes the rows of OVN_Northbound for Kubernetes objects. */
export interface WatcherState {
  /**
   * `waiting`: the Kubernetes objects or the northbound database are not read completely yet. `standby`: another
   * watcher writes rows. `active`: this watcher writes them.
   */
  readonly role: 'waiting' | 'standby' | 'active';
  /** Number of watched objects by kind. */
  readonly objects: Readonly<Record<string, number>>;
  /** Kubernetes nodes that have not joined the overlay; their pods get no network. */
  readonly nodesOutside: readonly string[];
  /** Date and time of the last write to the northbound database; null if nothing has been written yet. */
  readonly wroteAt: string | null;
  /** Object keys whose rows the northbound database refuses; each write is tried again. */
  readonly refused: readonly string[];
  /** Error that keeps the watcher from following objects or from writing rows; null if both work. */
  readonly failure: { readonly message: string; readonly hint: string | null; readonly since: string } | null;
}

/** This node's role in the overlay, and its state. */
export interface OverlayStatus {
  readonly node: string;
  readonly role: 'central' | 'member';
  readonly subnets: readonly string[];
  readonly addresses: readonly string[];
  readonly southbound: readonly string[];
  readonly membership: Membership;
  /**
   * State of ovn-controller's connection to the southbound database. On the central node, the database is on the same
   * machine.
   */
  readonly controller: 'connected' | 'not connected' | 'absent';
  readonly daemon: OverlayDaemon | null;
  readonly isRunning: boolean;
  readonly tunnels: readonly OverlayTunnel[];
  /** Paths to pods of other nodes; null if the central node does not answer. */
  readonly paths: readonly PodPath[] | null;
  /** Peers of the cluster, as last read; on a member, only those that its gateway reaches, and those in VXLAN. */
  readonly peers: readonly OverlayPeer[];
}

/** A tunnel that ovn-controller has made to another node's chassis. */
export interface OverlayTunnel {
  readonly interface: string;
  readonly type: string;
  readonly chassis: string;
  readonly remoteAddress: string;
  /** Fault of the tunnel on this node, in words; null if it has none. */
  readonly fault: string | null;
  /**
   * True if the other end of the tunnel answers an echo request; null if that is not known. Absent if no echo request
   * was sent.
   */
  readonly answers?: boolean | null;
}
