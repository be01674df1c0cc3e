import type { OverlayPlan } from '../model/overlay.ts';
import type { DatabaseShape, RowReference } from '../model/rows.ts';
import type { ObjectChange } from '../model/workload.ts';
import { createDesiredRows } from '../overlay/rows/desired-rows.ts';
import type { RowIndex } from '../overlay/rows/row-index.ts';
import { titleOf } from '../overlay/rows/stale-rows.ts';
import { clusterPolicies } from './cluster-policies/cluster-policies.ts';
import type { Part, WorkloadFacts } from './part.ts';
import { isPod, pods } from './pods/pods.ts';
import { portName } from './pods/port-name.ts';
import { policies } from './policies/policies.ts';
import { addForAllServices, services } from './services/plan-services.ts';
import { askForRecompute } from './services/recompute.ts';

/** Planners in the order in which they run: that of logical ports first, because port groups refer to the ports. */
const parts: readonly Part[] = [pods, ...policies, clusterPolicies, services];

/** Prefixed object key whose rows are planned together: `pod:default/web-0`. */
export type ObjectKey = string;

/**
 * Returns the owner of rows for objects of Kubernetes. Rows for nodes have another owner. A planner deletes only rows
 * of its own owner, so the planner of nodes deletes no rows for objects of Kubernetes.
 */
export function workloadOwner(owner: string): string {
  return `${owner}-workload`;
}

/** Returns the keys of all objects that need rows, and the keys of all objects for which the database has rows. */
export function allObjectKeys(facts: WorkloadFacts, existing: RowIndex): ReadonlySet<ObjectKey> {
  const wanted = parts.flatMap((part) => [...part.keys(facts)].map((key) => `${part.kind}:${key}`));
  return new Set([...wanted, ...existing.objectKeys()]);
}

/** Returns the keys whose rows a change of an object may affect. */
export function concernedObjectKeys(change: ObjectChange, facts: WorkloadFacts): readonly ObjectKey[] {
  return parts.flatMap((part) => [...part.concerned(change, facts)].map((key) => `${part.kind}:${key}`));
}

/**
 * Returns true for the key of a policy whose kind the API server refuses to list. The policy is unknown, so its rows
 * stay as they are.
 */
function isUnread(objectKey: ObjectKey, { workload }: WorkloadFacts): boolean {
  return workload.unread?.has('ClusterNetworkPolicy') === true && objectKey.startsWith(`${clusterPolicies.kind}:`);
}

/** Plans, without interruption, one transaction that makes the rows of these keys match the objects. */
export function planWorkload(
  facts: WorkloadFacts,
  existing: RowIndex,
  shape: DatabaseShape,
  objectKeys: Iterable<ObjectKey>,
): OverlayPlan {
  const steps = planInSteps(facts, existing, shape, objectKeys);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Plans one transaction that makes the rows of these keys match the objects; the plan is empty if nothing differs.
 * Stale rows of the keys are deleted. Yields the number of changes so far after each short step. The rows must not
 * change between steps, and a key has to be planned again if an object that affects it changes between steps.
 */
export function* planInSteps(
  facts: WorkloadFacts,
  existing: RowIndex,
  shape: DatabaseShape,
  objectKeys: Iterable<ObjectKey>,
): Generator<number, OverlayPlan, undefined> {
  const desired = createDesiredRows({ existing, shape }, workloadOwner(facts.layout.owner));
  const ports = new Map<string, RowReference>();
  const asked = [...new Set(objectKeys)].filter((objectKey) => !isUnread(objectKey, facts));
  for (const part of parts) {
    for (const objectKey of asked) {
      if (!objectKey.startsWith(`${part.kind}:`)) continue;
      const key = objectKey.slice(part.kind.length + 1);
      const steps = part.plan(key, {
        ...facts,
        desired,
        add: (desiredRow) => {
          const row = desired.add({ ...desiredRow, objectKey });
          if (row.table === 'Logical_Switch_Port') ports.set(row.title, row.reference);
          return row;
        },
        portOf: (pod) => {
          const name = portName(pod);
          const row = existing.named('Logical_Switch_Port', name);
          return ports.get(name) ?? (row !== null && isPod(row) ? row._uuid : null);
        },
      });
      for (const _ of steps ?? []) yield desired.changes.length;
      yield desired.changes.length;
    }
  }
  for (const objectKey of asked)
    for (const { table, row } of existing.ofObject(objectKey))
      desired.remove(table, row, titleOf(table, row), `${objectKey} does not need this row any more`);
  if (asked.some((objectKey) => objectKey.startsWith(`${services.kind}:`)))
    for (const _ of addForAllServices(facts, desired)) yield desired.changes.length;
  askForRecompute(desired);
  const database = 'OVN_Northbound';
  return { database, guards: desired.guards, changes: desired.changes, trace: desired.trace };
}
