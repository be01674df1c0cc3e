import type { OverlayPlan } from '../model/overlay.ts';
import type { DatabaseShape, RowReference } from '../model/rows.ts';
import type { ObjectChange } from '../model/workload.ts';
import { createDraft } from '../overlay/draft.ts';
import type { Existing } from '../overlay/existing.ts';
import { titleOf } from '../overlay/surplus.ts';
import type { Part, WorkloadFacts } from './part.ts';
import { isPod, pods } from './pods/pods.ts';
import { portName } from './pods/port-name.ts';
import { policies } from './policies/policies.ts';
import { askForRecompute } from './services/recompute.ts';
import { services, wantForAllServices } from './services/services.ts';

/** In the order in which they are planned: ports first, since groups have them. */
const parts: readonly Part[] = [pods, ...policies, services];

/** `pod:default/web-0`: what is planned as a whole. */
export type Unit = string;

/** Whose rows these are: those of nodes are somebody else's, and neither deletes the other's. */
export function workloadOwner(owner: string): string {
  return `${owner}-workload`;
}

/** The units that the objects call for, and those that the database has rows of. */
export function allUnits(facts: WorkloadFacts, existing: Existing): ReadonlySet<Unit> {
  const wanted = parts.flatMap((part) => [...part.keys(facts)].map((key) => `${part.kind}:${key}`));
  return new Set([...wanted, ...existing.units()]);
}

/** The units that may want something else after an object has changed. */
export function concernedUnits(change: ObjectChange, facts: WorkloadFacts): readonly Unit[] {
  return parts.flatMap((part) => [...part.concerned(change, facts)].map((key) => `${part.kind}:${key}`));
}

/** As planInSteps, in one piece. */
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
 * Plans the changes that bring the rows of these units to what the objects call for: one transaction, empty where nothing differs. A row of a unit that the
 * unit does not want any more is deleted. Yields after each step how many rows are to be changed so far; none takes long. No row may change in between, and
 * each unit that an object concerns which changes in between has to be planned again.
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
