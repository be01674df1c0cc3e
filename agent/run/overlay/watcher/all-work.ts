import type { ObjectChange, Workload } from '../../../model/workload.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import { allObjectKeys, concernedObjectKeys, type ObjectKey } from '../../../workload/plan-workload.ts';
import { keyOf, kinds } from './followed-kinds.ts';
import type { Northbound } from './northbound-mirror.ts';
import type { WorkItem } from './work-queue.ts';

/**
 * Yields the work for every object, and for every object key that still has rows although its object does not exist.
 * Objects may change during the iteration.
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

/**
 * Kinds of objects with policies first. The plan of each pod reads the rules of all policies; planning each policy
 * before divides this work into small pieces.
 */
const policiesFirst = kinds.toSorted((a, b) => Number(b.of === 'policies') - Number(a.of === 'policies'));

/** Yields a change for every object, as if each had just been created. */
function* changesOf(workload: Workload): Generator<ObjectChange, void, undefined> {
  for (const { kind, of } of policiesFirst)
    for (const now of workload[of].values()) yield { kind, now } as ObjectChange;
}

/** Returns the object keys that a change concerns, as a work item with the name of the changed object. */
export function workOf(change: ObjectChange, facts: WorkloadFacts): WorkItem {
  const object = change.now ?? change.before;
  const word = kinds.find(({ kind }) => kind === change.kind)?.keyPrefix ?? change.kind;
  return {
    of: `${word}:${object === undefined ? '' : keyOf(object)}`,
    objectKeys: new Set(concernedObjectKeys(change, facts)),
  };
}

/**
 * Returns an object key and the keys that have to be planned with it. For a pod these are port groups and address sets,
 * whose plans contain the pod's row only if the pod is planned with them or before them.
 */
export function togetherWith(objectKey: ObjectKey, facts: WorkloadFacts | null): Iterable<ObjectKey> {
  const pod = objectKey.startsWith('pod:') ? facts?.workload.pods.get(objectKey.slice('pod:'.length)) : undefined;
  if (facts === null || pod === undefined) return [objectKey];
  return concernedObjectKeys({ kind: 'Pod', before: pod, now: pod }, facts);
}
