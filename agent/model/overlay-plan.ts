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
}

/** What a chassis has answered last: whether to the last question, and when by its own clock, in ms since 1970. */
export interface ChassisEcho {
  readonly isCurrent: boolean;
  readonly atMs: number;
}

/** A node of the cluster as the central node sees it. */
export interface NodeState {
  readonly name: string;
  readonly subnets: readonly string[];
  readonly systemId: string;
  /** Where its tunnels end; none: it has not joined yet. */
  readonly addresses: readonly string[];
  readonly state: 'here' | 'joined' | 'not joined';
  /** The port of this node's Open vSwitch by which it is reached; null: there is none. */
  readonly tunnel: string | null;
  /** Its last answer to the central node; null: it was never asked. */
  readonly echo: ChassisEcho | null;
  /** Its way out of the cluster; null: it has none. */
  readonly gateway: {
    readonly bridge: string;
    readonly addresses: readonly string[];
    /** False: it does not answer, and nothing is led there. */
    readonly isUp: boolean;
  } | null;
  /** Days until its certificate runs out, as it was issued; null: it has none. */
  readonly certificateDays: number | null;
}
