import type { OverlayPlan } from './overlay.ts';

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
  /** What does not work although nothing has to be written; each is a sentence. */
  readonly faults: readonly string[];
}

/** A node of the cluster as the central node sees it. */
export interface NodeState {
  readonly name: string;
  readonly subnets: readonly string[];
  readonly systemId: string;
  /** Where its tunnels end; none: it has not joined yet. */
  readonly addresses: readonly string[];
  readonly state: 'here' | 'joined' | 'not joined';
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
