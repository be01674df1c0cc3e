import type { OverlayLayout, OverlayNode, ServiceExposure } from '../model/overlay.ts';
import type { OverlayPeer } from '../model/overlay-peer.ts';
import type { RowReference } from '../model/rows.ts';
import type { NamespacedName, ObjectChange, PodAddresses, Workload } from '../model/workload.ts';
import type { DesiredRow, DesiredRows } from '../overlay/rows/desired-rows.ts';

/** Facts from which rows of OVN_Northbound for objects of Kubernetes are planned. */
export interface WorkloadFacts {
  readonly layout: OverlayLayout;
  readonly nodes: readonly OverlayNode[];
  readonly exposure: ServiceExposure;
  /** Peers of the cluster. Absent if it has none. */
  readonly peers?: readonly OverlayPeer[];
  readonly workload: Workload;
  readonly addresses: PodAddresses;
}

/** Context in which the rows of one object key are planned. */
export interface ObjectPlanner extends WorkloadFacts {
  readonly desired: DesiredRows;
  /**
   * Plans a desired row, and marks it with the object key. If a later plan for this key does not contain the row, that
   * plan deletes the row.
   */
  add(desiredRow: Omit<DesiredRow, 'objectKey'>): ReturnType<DesiredRows['add']>;
  /** Returns the logical port of a pod, existing or inserted by this plan; null if the pod has none. */
  portOf(pod: NamespacedName): RowReference | null;
}

/**
 * Planner of the rows of one kind of objects. The rows of an object key are planned together and carry the key. The
 * planner determines all keys, the keys that a change affects, and the desired rows of each key.
 */
export interface Part {
  /** Prefix of the object keys, for example `pod`. */
  readonly kind: string;
  /** Returns the keys, without prefix, of all objects that need rows. */
  keys(facts: WorkloadFacts): Iterable<string>;
  /**
   * Returns the keys whose rows this change may affect, including the key of a deleted object. `facts` already contains
   * the change.
   */
  concerned(change: ObjectChange, facts: WorkloadFacts): Iterable<string>;
  /**
   * Plans the rows of a key; plans no rows if its object is deleted. Returns long work as an iterable of short steps.
   */
  plan(key: string, planner: ObjectPlanner): Iterable<unknown> | undefined;
}
