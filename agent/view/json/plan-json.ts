import type { MissingPart } from '../../compare/manual-bridge.ts';
import type { PendingChange } from '../../compare/pending-change.ts';
import { changeOf } from '../../compare/plan-changes.ts';
import { unappliedSettings } from '../../compare/unapplied.ts';
import type { ConfigWarning } from '../../model/config.ts';
import type { Observation } from '../../model/observation.ts';
import type { Difference, Plan } from '../../model/plan.ts';
import type { TuningPlan } from '../../model/tuning.ts';
import { plannedChanges } from '../changes-view.ts';
import { observedTopology, plannedTopology } from '../topology.ts';
import {
  type ChangeJson,
  changesJson,
  type DeviceJson,
  type DifferenceJson,
  devicesJson,
  differencesJson,
  type MissingJson,
  missingJson,
  type NoteJson,
  notesJson,
  type PendingJson,
  pendingJson,
  type StepJson,
  stepsJson,
  tuningStepsJson,
  type UplinkJson,
  uplinkJson,
  type WarningJson,
  warningsJson,
} from './parts-json.ts';

/** Fields that every plan for a change of the node has. */
export interface PlannedJson {
  /** `changes` if the command would change the node now. */
  readonly outcome: 'as-wanted' | 'changes';
  readonly uplink: UplinkJson | null;
  readonly changes: readonly ChangeJson[];
  /** Devices of the node now. */
  readonly before: readonly DeviceJson[];
  /** Devices of the node after the change. */
  readonly after: readonly DeviceJson[];
  readonly steps: readonly StepJson[];
  readonly notes: readonly NoteJson[];
  /** Longest expected outage. */
  readonly outage: OutageJson;
}

/** Longest expected outage, and its reason. */
export interface OutageJson {
  readonly expectedMs: number;
  readonly why: string;
}

/** `plan` and `apply --dry-run`: every change that `apply` would make. */
export type PlanDocument = PlanOfBridges | PlanOfTuning;

/** Plan of a node whose bridges the agent makes. */
export interface PlanOfBridges extends PlannedJson {
  readonly command: 'plan';
  readonly pending: PendingJson | null;
  /** Settings that were changed in a profile and are not in effect, which `apply` does not change. */
  readonly unapplied: readonly DifferenceJson[];
  /** Steps that tune the daemons of Open vSwitch; they run after `steps`. */
  readonly tuning: readonly StepJson[];
  readonly warnings: readonly WarningJson[];
}

/** Plan of a node with `disableOVSInit`, on which only the daemons of Open vSwitch are tuned. */
export interface PlanOfTuning {
  readonly command: 'plan';
  readonly outcome: 'disabled';
  /** File and line of `disableOVSInit`. */
  readonly source: string;
  readonly changes: readonly ChangeJson[];
  readonly tuning: readonly StepJson[];
  readonly notes: readonly NoteJson[];
  /** Parts that br-ex lacks for ovn-kubernetes. */
  readonly missing: readonly MissingJson[];
  readonly warnings: readonly WarningJson[];
}

/** `verify`: differences between the node and its desired state. */
export interface VerifyDocument {
  readonly command: 'verify';
  /** `disabled`: nothing was compared, because ovn.yaml has `disableOVSInit`. */
  readonly outcome: 'as-wanted' | 'drift' | 'disabled';
  readonly differences: readonly DifferenceJson[];
  /** Differences that `apply` cannot repair, each with its remedy. */
  readonly faults: readonly FaultJson[];
  readonly pending: PendingJson | null;
  readonly warnings: readonly WarningJson[];
}

/** A fault that no run of the agent repairs. */
export interface FaultJson {
  readonly subject: string;
  readonly remedy: string;
}

/** Returns the fields that every plan has. */
export function plannedJson(plan: Plan, tuning: readonly Difference[], observation: Observation): PlannedJson {
  const changes = plannedChanges(plan, tuning, observation);
  const isUnchanged = plan.outcome === 'unchanged' && changes.length === 0;
  const before = devicesJson(observedTopology(observation));
  return {
    outcome: isUnchanged ? 'as-wanted' : 'changes',
    uplink: uplinkJson(plan.choice),
    changes: changesJson(changes),
    before,
    after: plan.outcome === 'unchanged' ? before : devicesJson(plannedTopology(plan, observation)),
    steps: stepsJson(plan.steps),
    notes: notesJson(plan.notes),
    outage: { expectedMs: plan.outage.expectedMs, why: plan.outage.why },
  };
}

/** Returns the document of `plan`. */
export function planDocument(
  plan: Plan,
  tuning: TuningPlan,
  observation: Observation,
  pending: PendingChange | null,
  warnings: readonly ConfigWarning[],
): PlanDocument {
  const planned = plannedJson(plan, tuning.differences, observation);
  return {
    command: 'plan',
    ...planned,
    pending: pendingJson(pending),
    unapplied: differencesJson(unappliedSettings(plan.wanted.bridges, observation)),
    tuning: tuningStepsJson(tuning.steps),
    notes: [...planned.notes, ...notesJson(tuning.notes)],
    warnings: warningsJson(warnings),
  };
}

/** Returns the document of `plan` on a node with `disableOVSInit`. */
export function tuningPlanDocument(
  source: string,
  tuning: TuningPlan,
  missing: readonly MissingPart[],
  warnings: readonly ConfigWarning[],
): PlanDocument {
  return {
    command: 'plan',
    outcome: 'disabled',
    source,
    changes: changesJson(tuning.differences.map(changeOf)),
    tuning: tuningStepsJson(tuning.steps),
    notes: notesJson(tuning.notes),
    missing: missingJson(missing),
    warnings: warningsJson(warnings),
  };
}

/** Returns the document of `verify`. `differences` is null if nothing was compared. */
export function verifyDocument(
  differences: readonly Difference[] | null,
  faults: readonly FaultJson[],
  pending: PendingChange | null,
  warnings: readonly ConfigWarning[],
): VerifyDocument {
  const compared = differences ?? [];
  return {
    command: 'verify',
    outcome: differences === null ? 'disabled' : compared.length === 0 ? 'as-wanted' : 'drift',
    differences: differencesJson(compared),
    faults: faults.map(({ subject, remedy }) => ({ subject, remedy })),
    pending: pendingJson(pending),
    warnings: warningsJson(warnings),
  };
}
