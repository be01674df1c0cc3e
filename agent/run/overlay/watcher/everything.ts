import type { ObjectChange, Workload } from '../../../model/workload.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import { allUnits, concernedUnits, type Unit } from '../../../workload/plan-workload.ts';
import type { Errand } from './errands.ts';
import { keyOf, kinds } from './kinds.ts';
import type { Northbound } from './northbound.ts';

/** Yields an errand for each object, and one for each unit that has rows and no object. Objects may change while it is read. */
export function* everyErrand(
  { existing }: Pick<Northbound, 'existing'>,
  facts: WorkloadFacts,
): Generator<Errand, void, undefined> {
  const covered = new Set<Unit>();
  for (const change of changesOf(facts.workload)) {
    const errand = errandOf(change, facts);
    for (const unit of errand.units) covered.add(unit);
    yield errand;
  }
  for (const unit of allUnits(facts, existing)) if (!covered.has(unit)) yield { of: unit, units: new Set([unit]) };
}

/** Yields every object, as one that is new. */
function* changesOf(workload: Workload): Generator<ObjectChange, void, undefined> {
  for (const { kind, of } of kinds) for (const now of workload[of].values()) yield { kind, now } as ObjectChange;
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
