import type { MissingPart } from '../../compare/manual-bridge.ts';
import { changeOf } from '../../compare/plan-changes.ts';
import type { Observation } from '../../model/observation.ts';
import type { Plan } from '../../model/plan.ts';
import type { TransactionResult } from '../../model/run-record.ts';
import type { TuningFacts, TuningPlan } from '../../model/tuning.ts';
import {
  type ChangeJson,
  changesJson,
  type DaemonJson,
  daemonsJson,
  type MissingJson,
  missingJson,
  type NoteJson,
  notesJson,
  type StepJson,
  stepsJson,
  tuningStepsJson,
  type UplinkJson,
  uplinkJson,
} from './parts-json.ts';
import { type PlannedJson, plannedJson } from './plan-json.ts';

/** Result of a run that may have changed the node. */
export interface RunJson {
  readonly outcome: 'changed' | 'unchanged';
  /** Transaction of the change; null if no bridge was changed. */
  readonly transaction: TransactionJson | null;
  /** Transaction that waited for confirmation and was rolled back before this run; null if no transaction waited. */
  readonly reverted: string | null;
  readonly uplink: UplinkJson | null;
  /** Changes that were made. */
  readonly changes: readonly ChangeJson[];
  /** Steps that were run. */
  readonly steps: readonly StepJson[];
  /** Steps that tuned the daemons of Open vSwitch; they ran after `steps`. */
  readonly tuning: readonly StepJson[];
  readonly notes: readonly NoteJson[];
}

/** A transaction that has not failed. */
export interface TransactionJson {
  readonly id: string;
  readonly state: 'committed' | 'awaiting-confirm';
  /** End of the time to confirm, in ISO 8601; null if the change needs no confirmation. */
  readonly confirmUntil: string | null;
  /** Duration of each step in milliseconds. */
  readonly stepTimesMs: readonly number[];
}

/** `apply`: the change that was made. `apply --dry-run` has the document of `plan`. */
export type ApplyDocument = ApplyOfBridges | ApplyOfTuning;

/** Result of `apply` on a node whose bridges the agent makes. */
export interface ApplyOfBridges extends RunJson {
  readonly command: 'apply';
}

/** Result of `apply` on a node with `disableOVSInit`, on which only the daemons of Open vSwitch are tuned. */
export interface ApplyOfTuning {
  readonly command: 'apply';
  readonly outcome: 'disabled';
  /** File and line of `disableOVSInit`. */
  readonly source: string;
  readonly changes: readonly ChangeJson[];
  readonly tuning: readonly StepJson[];
  readonly notes: readonly NoteJson[];
  /** Parts that br-ex lacks for ovn-kubernetes. */
  readonly missing: readonly MissingJson[];
}

/** `undo`: the change that was made. */
export interface UndoDocument extends RunJson {
  readonly command: 'undo';
}

/** `disable`: the change that was made, or with `--dry-run` the change that it would make. */
export type DisableDocument = DisableResult | DisablePreview;

/** Result of `disable`. */
export interface DisableResult extends RunJson {
  readonly command: 'disable';
}

/** Plan of `disable --dry-run`. */
export interface DisablePreview extends PreviewJson {
  readonly command: 'disable';
}

/** `bridge add`: the change that was made, or with `--dry-run` the change that it would make. */
export type BridgeAddDocument = BridgeAddResult | BridgeAddPreview;

/** Result of `bridge add`. */
export interface BridgeAddResult extends RunJson {
  readonly command: 'bridge add';
}

/** Plan of `bridge add --dry-run`. */
export interface BridgeAddPreview extends PreviewJson {
  readonly command: 'bridge add';
}

/** `bridge remove`: the change that was made, or with `--dry-run` the change that it would make. */
export type BridgeRemoveDocument = BridgeRemoveResult | BridgeRemovePreview;

/** Result of `bridge remove`. */
export interface BridgeRemoveResult extends RunJson {
  readonly command: 'bridge remove';
}

/** Plan of `bridge remove --dry-run`. */
export interface BridgeRemovePreview extends PreviewJson {
  readonly command: 'bridge remove';
}

/** `bridge apply`: the change that was made. */
export interface BridgeApplyDocument extends RunJson {
  readonly command: 'bridge apply';
}

/** `confirm`: the transaction whose change is kept. */
export interface ConfirmDocument {
  readonly command: 'confirm';
  readonly outcome: 'confirmed';
  readonly transaction: string;
}

/** `recover`: the end of a transaction whose run was interrupted. */
export interface RecoverDocument {
  readonly command: 'recover';
  readonly outcome: 'changed' | 'unchanged';
  /** One sentence per effect, in their order; empty if there was nothing to recover. */
  readonly done: readonly string[];
}

/** `ovs tune`: the change of the daemons of Open vSwitch. */
export interface OvsTuneDocument {
  readonly command: 'ovs tune';
  readonly outcome: 'changed' | 'unchanged';
  readonly changes: readonly ChangeJson[];
  readonly steps: readonly StepJson[];
  readonly notes: readonly NoteJson[];
  /** Daemons of Open vSwitch after the change. */
  readonly daemons: readonly DaemonJson[];
}

/** Command that runs a transaction, or shows its plan. */
export type RunCommand = 'apply' | 'undo' | 'disable' | 'bridge add' | 'bridge remove' | 'bridge apply';

/** Document of a command that runs a transaction. */
export type RunDocument = { readonly [K in RunCommand]: RunJson & { readonly command: K } }[RunCommand];

/**
 * Command whose option `--dry-run` prints a document with the name of this command. `apply --dry-run` prints the
 * document of `plan`.
 */
export type PreviewCommand = 'disable' | 'bridge add' | 'bridge remove';

/** Document of a command that shows the plan of a transaction. */
export type PreviewDocument = { readonly [K in PreviewCommand]: PreviewJson & { readonly command: K } }[PreviewCommand];

/** Plan of a transaction, and of the changes to the daemons of Open vSwitch after it. */
export interface PreviewJson extends PlannedJson {
  /** Steps that change the settings of the daemons of Open vSwitch. */
  readonly tuning: readonly StepJson[];
}

/** Result of a run, from which its document is made. */
export interface RunFacts {
  readonly plan: Plan;
  readonly observation: Observation;
  readonly tuning: TuningPlan;
  readonly transaction: TransactionResult | null;
  readonly reverted?: string | null;
}

/**
 * Returns the document of a repair. `late` is the run that made the bridges of `bridge add` whose NICs have appeared;
 * null if no such run took place. If there are two transactions, the document has the last one, which `undo` would
 * undo, and a note names the other.
 */
export function repairDocument(facts: RunFacts, late: RunFacts | null): RunDocument {
  const own = runDocument('apply', facts);
  if (late === null) return own;
  const added = runDocument('bridge apply', late);
  const isSecond = own.transaction !== null && added.transaction !== null;
  const note = { level: 'info', message: `br-ex was changed by transaction ${own.transaction?.id}` } as const;
  return {
    ...own,
    outcome: own.outcome === 'changed' || added.outcome === 'changed' ? 'changed' : 'unchanged',
    transaction: added.transaction ?? own.transaction,
    changes: [...own.changes, ...added.changes],
    steps: [...own.steps, ...added.steps],
    notes: [...own.notes, ...added.notes, ...(isSecond ? [note] : [])],
  };
}

/** Returns the document of a command that has run a transaction. */
export function runDocument(command: RunCommand, facts: RunFacts): RunDocument {
  const { plan, observation, tuning, transaction, reverted = null } = facts;
  const isUnchanged = transaction === null && tuning.steps.length === 0 && reverted === null;
  return {
    command,
    outcome: isUnchanged ? 'unchanged' : 'changed',
    transaction: transaction === null ? null : transactionJson(transaction),
    reverted,
    uplink: uplinkJson(plan.choice),
    changes: isUnchanged ? [] : plannedJson(plan, tuning.differences, observation).changes,
    steps: stepsJson(plan.steps),
    tuning: tuningStepsJson(tuning.steps),
    notes: notesJson([...plan.notes, ...tuning.notes]),
  };
}

function transactionJson({ id, state, confirmUntil, stepTimesMs }: TransactionResult): TransactionJson {
  return { id, state, confirmUntil, stepTimesMs };
}

/** Returns the document of a command that shows its plan with `--dry-run`. */
export function previewDocument(
  command: PreviewCommand,
  { plan, tuning, observation }: Pick<RunFacts, 'plan' | 'tuning' | 'observation'>,
): PreviewDocument {
  const planned = plannedJson(plan, tuning.differences, observation);
  return {
    command,
    ...planned,
    tuning: tuningStepsJson(tuning.steps),
    notes: [...planned.notes, ...notesJson(tuning.notes)],
  };
}

/** Returns the document of `apply` on a node with `disableOVSInit`. */
export function tuneOnlyDocument(source: string, plan: TuningPlan, missing: readonly MissingPart[]): ApplyDocument {
  return {
    command: 'apply',
    outcome: 'disabled',
    source,
    changes: changesJson(plan.differences.map(changeOf)),
    tuning: tuningStepsJson(plan.steps),
    notes: notesJson(plan.notes),
    missing: missingJson(missing),
  };
}

/** Returns the document of `ovs tune`. */
export function ovsTuneDocument(plan: TuningPlan, { daemons }: TuningFacts): OvsTuneDocument {
  return {
    command: 'ovs tune',
    outcome: plan.steps.length === 0 ? 'unchanged' : 'changed',
    changes: changesJson(plan.differences.map(changeOf)),
    steps: tuningStepsJson(plan.steps),
    notes: notesJson(plan.notes),
    daemons: daemonsJson(daemons),
  };
}
