import type { OverlayLayout, OverlayNode, ServiceExposure } from '../model/overlay.ts';
import type { RowReference } from '../model/rows.ts';
import type { ObjectChange, ObjectKey, PodAddresses, Workload } from '../model/workload.ts';
import type { Draft, Wish } from '../overlay/draft.ts';

/** Everything that rows of OVN_Northbound for objects of Kubernetes are planned from. */
export interface WorkloadFacts {
  readonly layout: OverlayLayout;
  readonly nodes: readonly OverlayNode[];
  readonly exposure: ServiceExposure;
  readonly workload: Workload;
  readonly addresses: PodAddresses;
}

/** What a part works with while it plans one unit. */
export interface UnitDraft extends WorkloadFacts {
  readonly draft: Draft;
  /** As Draft.want, for a row that is of this unit: it is deleted as soon as the unit does not want it any more. */
  want(wish: Omit<Wish, 'unit'>): ReturnType<Draft['want']>;
  /** The logical port of a pod, there or made by this plan; null: it has none. */
  portOf(pod: ObjectKey): RowReference | null;
}

/**
 * Rows come in units, each planned as a whole and known again by a tag. A part says which units there are, which of them an object's change concerns, and
 * what each of them wants.
 */
export interface Part {
  /** First word of a unit's name, `pod`; the rest is its key. */
  readonly kind: string;
  /** Keys of all units that the objects call for. */
  keys(facts: WorkloadFacts): Iterable<string>;
  /** Keys of units that may want something else after this change; `facts` has it already. A unit that nobody calls for any more counts. */
  concerned(change: ObjectChange, facts: WorkloadFacts): Iterable<string>;
  /** Plans the rows of a unit, and nothing if its object is gone. Returns long work as its steps, none of which takes long. */
  want(key: string, unit: UnitDraft): Iterable<unknown> | undefined;
}
