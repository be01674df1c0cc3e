import type { ObjectChange, Workload } from '../../../model/workload.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import { allObjectKeys, concernedObjectKeys, type ObjectKey } from '../../../workload/plan-workload.ts';
import { keyOf, kinds } from './followed-kinds.ts';
import type { Northbound } from './northbound-mirror.ts';
import type { WorkItem } from './work-queue.ts';

/**
 * Yields the work for every object, and for every object key that has rows but no object. Objects may change during the
 * iteration.
 */
export function* allWork(
  { existing }: Pick<Northbound, 'existing'>,
  facts: WorkloadFacts,
): Generator<WorkItem, void, undefined> {
  const covered = new Set<ObjectKey>();
  for (const change of changesOf(facts.workload)) {
    const item = workOf(change, facts);
    for (const objectKey of item.objectKeys) covered.add(objectKey);
    yield item;
  }
  for (const objectKey of allObjectKeys(facts, existing))
    if (!covered.has(objectKey)) yield { of: objectKey, objectKeys: new Set([objectKey]) };
}

/** Kinds of objects, policies first: the rules of all policies are read for each pod, so each policy is read in a piece of its own beforehand. */
const policiesFirst = kinds.toSorted((a, b) => Number(b.of === 'policies') - Number(a.of === 'policies'));

/** Yields a change for every object, as if it had just been added. */
function* changesOf(workload: Workload): Generator<ObjectChange, void, undefined> {
  for (const { kind, of } of policiesFirst)
    for (const now of workload[of].values()) yield { kind, now } as ObjectChange;
}

/** Returns the work for a change, named by the object's own key if it has one. */
export function workOf(change: ObjectChange, facts: WorkloadFacts): WorkItem {
  const object = change.now ?? change.before;
  const word = kinds.find(({ kind }) => kind === change.kind)?.keyPrefix ?? change.kind;
  return {
    of: `${word}:${object === undefined ? '' : keyOf(object)}`,
    objectKeys: new Set(concernedObjectKeys(change, facts)),
  };
}

/**
 * Returns an object key and the keys that have to be planned with it: port groups and address sets contain the row of a
 * pod only if they are planned with it or after it.
 */
export function togetherWith(objectKey: ObjectKey, facts: WorkloadFacts | null): Iterable<ObjectKey> {
  const pod = objectKey.startsWith('pod:') ? facts?.workload.pods.get(objectKey.slice('pod:'.length)) : undefined;
  if (facts === null || pod === undefined) return [objectKey];
  return concernedObjectKeys({ kind: 'Pod', before: pod, now: pod }, facts);
}
