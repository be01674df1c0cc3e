import type { OverlayPlan } from './overlay.ts';
import type { DemuxChange } from './overlay-demux.ts';

/** One command for the node's own interface in the cluster, and why. */
export interface PortChange {
  /** A line of ip-batch(8). */
  readonly command: string;
  readonly why: string;
}

/** Everything that has to change on this node for its part in the overlay. Plain JSON. */
export interface OverlayChanges {
  readonly databases: readonly OverlayPlan[];
  readonly managementPort: readonly PortChange[];
  /** Of the bridge that the node shares with its gateway. */
  readonly demux: readonly DemuxChange[];
  /** Of OVN_Northbound for objects of Kubernetes, which the daemon of the central node writes; null: nobody asked. */
  readonly workload: OverlayPlan | null;
  /** What does not work although nothing has to be written; each is a sentence. */
  readonly faults: readonly string[];
  /** Facts that an administrator should know although they are not drift and have no effect here; each is a sentence. */
  readonly notices: readonly string[];
}

/** What a chassis has answered last: whether to the question of now, and when by its own clock, in ms since 1970; null: never. */
export interface ChassisEcho {
  readonly isCurrent: boolean;
  readonly atMs: number | null;
}

/** How this node reaches another one. */
export interface NodeTunnel {
  /** Of this node's Open vSwitch; null: there is none. */
  readonly port: string | null;
  /** `up`: the node has answered through it just now; `unproven`: nothing is wrong with it, and nobody could be asked. */
  readonly state: 'up' | 'down' | 'unproven';
  /** Why it is not up, in words. */
  readonly reason: string | null;
}

/** A node of the cluster as the central node sees it. */
export interface NodeState {
  readonly name: string;
  readonly subnets: readonly string[];
  readonly systemId: string;
  /** Where its tunnels end; none: it has not joined yet. */
  readonly addresses: readonly string[];
  readonly state: 'here' | 'joined' | 'not joined';
  /** null: it is this node. */
  readonly tunnel: NodeTunnel | null;
  /** Its last answer to the central node; null: it cannot be asked, as it is not registered. */
  readonly echo: ChassisEcho | null;
  /** Its gateway of the cluster; null: it has none. */
  readonly gateway: {
    readonly bridge: string;
    readonly addresses: readonly string[];
    /** False: it does not answer, and nothing is led there. */
    readonly isUp: boolean;
  } | null;
  /** Days until its certificate runs out, as it was issued; null: it has none. */
  readonly certificateDays: number | null;
}
