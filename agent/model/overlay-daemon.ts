/** How `overlay run` of this boot is, as it writes it for other commands. Plain JSON. */
export interface OverlayDaemon {
  readonly format: 1;
  readonly pid: number;
  /** Of the process, in clock ticks since boot: with the number, it is this one and no other. */
  readonly startTime: number;
  /** Date and time. */
  readonly since: string;
  /** What it could not do last; null: all was as wanted. */
  readonly failure: { readonly message: string; readonly hint: string | null; readonly since: string } | null;
  /** On the central node, how the rows for objects of Kubernetes are kept; null: nothing is known of a cluster yet, or this is another node. */
  readonly watcher: WatcherState | null;
  /** On the central node, the numbers that the gateways were asked to answer with: this round's, then older ones. */
  readonly asked: readonly number[];
}

/** How the rows of OVN_Northbound for objects of Kubernetes are kept. */
export interface WatcherState {
  /** `waiting`: not all objects are known yet, or the database is not; `standby`: another one writes; `active`: this one does. */
  readonly role: 'waiting' | 'standby' | 'active';
  /** How many objects are followed, by kind. */
  readonly objects: Readonly<Record<string, number>>;
  /** Nodes of Kubernetes that have not joined the overlay: their pods get no network. */
  readonly nodesOutside: readonly string[];
  /** When rows were written last; null: not yet. */
  readonly wroteAt: string | null;
  /** Units that the database does not take; each is tried again. */
  readonly refused: readonly string[];
  /** What keeps objects from being followed, or rows from being written; null: nothing does. */
  readonly failure: { readonly message: string; readonly hint: string | null; readonly since: string } | null;
}

/** What this node is in the overlay, and how that is. */
export interface OverlayStatus {
  readonly node: string;
  readonly role: 'central' | 'member';
  readonly subnets: readonly string[];
  readonly addresses: readonly string[];
  readonly southbound: readonly string[];
  /** Of ovn-controller; on the central node, of its own databases. */
  readonly controller: 'connected' | 'not connected' | 'absent';
  readonly daemon: OverlayDaemon | null;
  readonly isRunning: boolean;
  readonly tunnels: readonly OverlayTunnel[];
}

/** A tunnel that ovn-controller has made, to another node's chassis. */
export interface OverlayTunnel {
  readonly interface: string;
  readonly type: string;
  readonly chassis: string;
  readonly remoteAddress: string;
  /** What is wrong with it on this node, in words; null: nothing. */
  readonly fault: string | null;
}
