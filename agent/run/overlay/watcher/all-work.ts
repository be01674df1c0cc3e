import type { ObjectChange, Workload } from '../../../model/workload.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import { allUnits, concernedUnits, type Unit } from '../../../workload/plan-workload.ts';
import { keyOf, kinds } from './followed-kinds.ts';
import type { Northbound } from './northbound-mirror.ts';
import type { Errand } from './work-queue.ts';

/**
 * Yields the work for every object, and for every object key that has rows but no object. Objects may change during the
 * iteration.
 */
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

/** Kinds of objects, policies first: the rules of all policies are read for each pod, so each policy is read in a piece of its own beforehand. */
const policiesFirst = kinds.toSorted((a, b) => Number(b.of === 'policies') - Number(a.of === 'policies'));

/** Yields a change for every object, as if it had just been added. */
function* changesOf(workload: Workload): Generator<ObjectChange, void, undefined> {
  for (const { kind, of } of policiesFirst)
    for (const now of workload[of].values()) yield { kind, now } as ObjectChange;
}

/** Returns the work for a change, named by the object's own key if it has one. */
export function errandOf(change: ObjectChange, facts: WorkloadFacts): Errand {
  const object = change.now ?? change.before;
  const word = kinds.find(({ kind }) => kind === change.kind)?.unit ?? change.kind;
  return { of: `${word}:${object === undefined ? '' : keyOf(object)}`, units: new Set(concernedUnits(change, facts)) };
}

/**
 * Returns an object key and the keys that have to be planned with it: port groups and address sets contain the row of a
 * pod only if they are planned with it or after it.
 */
export function togetherWith(unit: Unit, facts: WorkloadFacts | null): Iterable<Unit> {
  const pod = unit.startsWith('pod:') ? facts?.workload.pods.get(unit.slice('pod:'.length)) : undefined;
  if (facts === null || pod === undefined) return [unit];
  return concernedUnits({ kind: 'Pod', before: pod, now: pod }, facts);
}
