import type { OverlayPlan } from '../model/overlay.ts';
import type { DatabaseShape, RowReference } from '../model/rows.ts';
import type { ObjectChange } from '../model/workload.ts';
import { createDraft } from '../overlay/rows/desired-rows.ts';
import type { Existing } from '../overlay/rows/row-index.ts';
import { titleOf } from '../overlay/rows/stale-rows.ts';
import type { Part, WorkloadFacts } from './part.ts';
import { isPod, pods } from './pods/pods.ts';
import { portName } from './pods/port-name.ts';
import { policies } from './policies/policies.ts';
import { services, wantForAllServices } from './services/plan-services.ts';
import { askForRecompute } from './services/recompute.ts';

/** Parts in the order of planning: logical ports first, because port groups refer to them. */
const parts: readonly Part[] = [pods, ...policies, services];

/** Prefixed object key whose rows are planned together: `pod:default/web-0`. */
export type Unit = string;

/** Returns the owner of rows for objects of Kubernetes. Rows for nodes have another owner, and neither planner deletes rows of the other. */
export function workloadOwner(owner: string): string {
  return `${owner}-workload`;
}

/** Returns the keys of all objects that need rows, and of all rows in the database. */
export function allUnits(facts: WorkloadFacts, existing: Existing): ReadonlySet<Unit> {
  const wanted = parts.flatMap((part) => [...part.keys(facts)].map((key) => `${part.kind}:${key}`));
  return new Set([...wanted, ...existing.units()]);
}

/** Returns the keys whose rows a change of an object may affect. */
export function concernedUnits(change: ObjectChange, facts: WorkloadFacts): readonly Unit[] {
  return parts.flatMap((part) => [...part.concerned(change, facts)].map((key) => `${part.kind}:${key}`));
}

/** Plans as planInSteps does, without interruption. */
export function planWorkload(
  facts: WorkloadFacts,
  existing: Existing,
  shape: DatabaseShape,
  units: Iterable<Unit>,
): OverlayPlan {
  const steps = planInSteps(facts, existing, shape, units);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Plans one transaction that makes the rows of these keys match the objects; empty if nothing differs. Stale rows of the keys are deleted. Yields the
 * number of changes so far after each step, and each step is short. The rows must not change between steps, and a key has to be planned again if an
 * object that affects it changes between steps.
 */
export function* planInSteps(
  facts: WorkloadFacts,
  existing: Existing,
  shape: DatabaseShape,
  units: Iterable<Unit>,
): Generator<number, OverlayPlan, undefined> {
  const draft = createDraft({ existing, shape }, workloadOwner(facts.layout.owner));
  const ports = new Map<string, RowReference>();
  const asked = [...new Set(units)];
  for (const part of parts) {
    for (const unit of asked) {
      if (!unit.startsWith(`${part.kind}:`)) continue;
      const key = unit.slice(part.kind.length + 1);
      const steps = part.want(key, {
        ...facts,
        draft,
        want: (wish) => {
          const row = draft.want({ ...wish, unit });
          if (row.table === 'Logical_Switch_Port') ports.set(row.title, row.reference);
          return row;
        },
        portOf: (pod) => {
          const name = portName(pod);
          const row = existing.named('Logical_Switch_Port', name);
          return ports.get(name) ?? (row !== null && isPod(row) ? row._uuid : null);
        },
      });
      for (const _ of steps ?? []) yield draft.changes.length;
      yield draft.changes.length;
    }
  }
  for (const unit of asked)
    for (const { table, row } of existing.ofUnit(unit))
      draft.remove(table, row, titleOf(table, row), `nothing of ${unit} calls for it any more`);
  if (asked.some((unit) => unit.startsWith(`${services.kind}:`)))
    for (const _ of wantForAllServices(facts, draft)) yield draft.changes.length;
  askForRecompute(draft);
  const database = 'OVN_Northbound';
  return { database, guards: draft.guards, changes: draft.changes, trace: draft.trace };
}
