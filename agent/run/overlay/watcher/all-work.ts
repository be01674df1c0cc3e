import type { NamespacedName, ObjectChange } from '../../../model/workload.ts';
import { mapOf, type RowIndex, textOf } from '../../../overlay/rows/row-index.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import { allObjectKeys, concernedObjectKeys, type ObjectKey } from '../../../workload/plan-workload.ts';
import { portName } from '../../../workload/pods/port-name.ts';
import { kubeletUid } from '../../../workload/pods/static-pods.ts';
import { keyOf, kinds } from './followed-kinds.ts';
import type { Northbound } from './northbound-mirror.ts';
import type { WorkItem } from './work-queue.ts';

const podPrefix = 'pod:';

/**
 * Yields the work for every object key that has an object or rows. Each key has one work item. The keys of port groups
 * and address sets come after those of pods, because port groups and address sets refer to rows of pods. A pod that has
 * no port, or only the port of an earlier pod of the same name, is planned together with its port groups and address
 * sets, so that policies apply to its first packet. Yields null after each NetworkPolicy that it has read, so that the
 * caller can pause. Objects may change during the iteration.
 */
export function* allWork(
  { existing }: Pick<Northbound, 'existing'>,
  facts: WorkloadFacts,
): Generator<WorkItem | null, void, undefined> {
  // The object keys of address sets depend on the rules of all NetworkPolicies. This loop first derives the needed
  // facts from each policy, which are then cached, and lets the caller pause after each one, because all policies at
  // once would take too long.
  for (const now of facts.workload.policies.values()) {
    workOf({ kind: 'NetworkPolicy', now }, facts);
    yield null;
  }
  for (const objectKey of allObjectKeys(facts, existing)) {
    const isAlone = !objectKey.startsWith(podPrefix) || hasPort(objectKey.slice(podPrefix.length), existing, facts);
    yield { of: objectKey, objectKeys: new Set(isAlone ? [objectKey] : togetherWith(objectKey, facts)) };
  }
}

/**
 * Returns true if a pod has a port on the switch of its node. The port of an earlier pod with the same name does not
 * count.
 */
function hasPort(key: NamespacedName, existing: RowIndex, { workload }: WorkloadFacts): boolean {
  const [pod, row] = [workload.pods.get(key), existing.named('Logical_Switch_Port', portName(key))];
  if (pod === undefined || row === null) return false;
  const onSwitch = existing.parentOf(row)?.row ?? null;
  return textOf(onSwitch, 'name') === pod.nodeName && mapOf(row, 'options')['iface-id-ver'] === kubeletUid(pod);
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
 * Returns an object key and the keys that have to be planned with it. For a pod these are its port groups and address
 * sets. Their plans contain the pod's row only if the pod is planned together with them or earlier.
 */
export function togetherWith(objectKey: ObjectKey, facts: WorkloadFacts | null): Iterable<ObjectKey> {
  const isPod = objectKey.startsWith(podPrefix);
  const pod = isPod ? facts?.workload.pods.get(objectKey.slice(podPrefix.length)) : undefined;
  if (facts === null || pod === undefined) return [objectKey];
  return concernedObjectKeys({ kind: 'Pod', before: pod, now: pod }, facts);
}
