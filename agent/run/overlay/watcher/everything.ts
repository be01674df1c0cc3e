import type { ObjectChange, Workload } from '../../../model/workload.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import { allUnits, concernedUnits, planWorkload, type Unit } from '../../../workload/plan-workload.ts';
import type { Errand } from './errands.ts';
import { keyOf, kinds } from './kinds.ts';
import type { Northbound } from './northbound.ts';

/** Whether every row is as the objects call for. */
export function isAsWanted({ existing, shape }: Pick<Northbound, 'existing' | 'shape'>, facts: WorkloadFacts): boolean {
  try {
    return planWorkload(facts, existing, shape, allUnits(facts, existing)).changes.length === 0;
  } catch {
    // Which object cannot be planned is found one by one.
    return false;
  }
}

/** An errand for each object, and one for each unit that has rows and no object. */
export function everyErrand({ existing }: Pick<Northbound, 'existing'>, facts: WorkloadFacts): readonly Errand[] {
  const errands = changesOf(facts.workload).map((change) => errandOf(change, facts));
  const covered = new Set(errands.flatMap(({ units }) => [...units]));
  const rest = [...allUnits(facts, existing)].filter((unit) => !covered.has(unit));
  return [...errands, ...rest.map((unit) => ({ of: unit, units: new Set([unit]) }))];
}

/** Every object, as one that is new. */
function changesOf(workload: Workload): readonly ObjectChange[] {
  return kinds.flatMap(({ kind, of }) =>
    [...workload[of].values()].map((now): ObjectChange => ({ kind, now }) as ObjectChange),
  );
}

/** What a change calls for. It is named as the unit that is the object's own, if it has one. */
export function errandOf(change: ObjectChange, facts: WorkloadFacts): Errand {
  const object = change.now ?? change.before;
  const word = kinds.find(({ kind }) => kind === change.kind)?.unit ?? change.kind;
  return { of: `${word}:${object === undefined ? '' : keyOf(object)}`, units: new Set(concernedUnits(change, facts)) };
}

/** A unit, and those beside which it has to be planned: groups and sets have the row of a pod only when they are planned with it or after it. */
export function togetherWith(unit: Unit, facts: WorkloadFacts | null): Iterable<Unit> {
  const pod = unit.startsWith('pod:') ? facts?.workload.pods.get(unit.slice('pod:'.length)) : undefined;
  if (facts === null || pod === undefined) return [unit];
  return concernedUnits({ kind: 'Pod', before: pod, now: pod }, facts);
}
