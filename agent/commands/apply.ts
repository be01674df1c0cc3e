import { planInWords } from '../compare/in-words.ts';
import { defaultConfig } from '../config/defaults.ts';
import { type UsableConfig, usableConfig } from '../config/effective.ts';
import { asAgentError, isAgentError } from '../errors.ts';
import type { Config } from '../model/config.ts';
import { journalDirectory } from '../model/journal.ts';
import type { Observation } from '../model/observation.ts';
import type { TuningPlan } from '../model/tuning.ts';
import { currentBridges } from '../plan/bridge/current.ts';
import { isFormerLayout } from '../plan/names.ts';
import { planApply, planDisable, planUndo } from '../plan/plan.ts';
import { planTuning, planUntuning } from '../plan/tuning/tuning.ts';
import { lastKept, readJournals } from '../run/journal.ts';
import type { ReconcileOptions } from '../run/options.ts';
import { type Planner, patientWait, repairWait, type WaitOptions } from '../run/plan-when-ready.ts';
import { type ReconcileResult, reconcile } from '../run/reconcile.ts';
import { currentBootId } from '../run/recover.ts';
import { recordRefused } from '../run/run-record.ts';
import { removeHint, takeRepairRequest } from '../run/state-files.ts';
import type { TransactionResult } from '../run/transaction.ts';
import { drawTopology, plannedTopology } from '../view/topology.ts';
import type { Output } from './output.ts';
import { uplinkWarnings } from './plan.ts';
import { reporting, sayNotes, sayWarnings } from './reporting.ts';
import { requireRoot } from './root.ts';

/** A plan that is not run waits for nothing: it says what would happen now. */
const noWait: WaitOptions = { routeMs: 0, uplinkMs: 0, servicesMs: 0 };

const nothingToDoText = 'Nothing to do: the node is as wanted.';

export interface ApplyOptions {
  readonly boot: boolean;
  readonly confirmTimeoutSeconds: number | null;
}

/** `apply`: brings the node to what ovn.yaml says. */
export async function apply(options: ApplyOptions, output: Output): Promise<void> {
  requireRoot('apply');
  const command = options.boot ? 'apply --boot' : 'apply';
  const { config, warnings } = await readConfig(command);
  sayWarnings(warnings, output);
  if (config.disableOvsInit.value) {
    const { tuneOnly } = await import('./ovs.ts');
    return tuneOnly(command, config, output);
  }
  const planner: Planner = (observation, over) => planApply(config, observation, over);
  const tuner = tunerFor(config, planTuning, output);
  const result = await reconcile(planner, patientWait, {
    command,
    confirmTimeoutSeconds: options.confirmTimeoutSeconds,
    ...reporting(output),
    tuner,
  });
  sayWarnings(uplinkWarnings(config, result.plan, result.observation), output);
  report('apply', result, output);
}

/**
 * `apply --repair`: brings the node back to what the last run that was kept made of it, after an event that may have changed that. What
 * ovn.yaml says since then waits for the next boot or `apply`. A change that another run is making, or that waits to be confirmed, is left
 * to whoever decides on it.
 */
export async function repair(output: Output): Promise<void> {
  const command = 'apply --repair';
  requireRoot(command);
  takeRepairRequest();
  const { config } = await readConfig(command);
  if (config.disableOvsInit.value) return;
  const planner: Planner = (observation, over) => {
    // An agent before 0.2 made it, and NetworkManager does not keep such a bridge over a restart.
    if (isFormerLayout(observation)) return planApply(config, observation, over);
    // Read under the lock: a run that has just ended, or that was recovered first, may be the last one.
    const wanted = lastKept(readJournals(journalDirectory).records, currentBootId());
    const { bridges } = wanted ?? currentBridges(observation);
    // A bridge that was left to MicroShift is MicroShift's business.
    return { kind: 'planned', plan: planUndo({ bridges }, observation) };
  };
  const options = { command, confirmTimeoutSeconds: null, ...reporting(output) };
  try {
    report('apply', await reconcile(planner, repairWait, options), output);
  } catch (error) {
    if (!isAgentError(error) || error.kind !== 'busy') throw error;
    output.say(error.message);
  }
}

/** A configuration that cannot be used is what monitoring has to report, too. */
async function readConfig(command: string): Promise<UsableConfig> {
  try {
    return await usableConfig();
  } catch (error) {
    await recordRefused(command, error);
    throw error;
  }
}

/** `disable`: gives every NIC back and removes every trace. */
export async function disable(output: Output): Promise<void> {
  requireRoot('disable');
  // A NIC is given back whatever ovn.yaml has become.
  const { config } = await usableConfig().catch(() => ({ config: defaultConfig }));
  const tuner = tunerFor(config, planUntuning, output);
  const result = await reconcile(planNone, noWait, { ...disabling('disable', output), tuner });
  try {
    removeHint();
  } catch (error) {
    // The NIC is back by now; a disk that cannot be written is no failure of that.
    output.say(`warning: the hint could not be removed: ${asAgentError(error).message}`);
  }
  report('disable', result, output);
}

/**
 * `disable --stop`: gives every NIC back before Open vSwitch stops, which would leave it in a bridge that forwards nothing new. Hint and tuning
 * stay for the next start of the unit. A change that waits to be confirmed is taken back first: NetworkManager could not do it any more.
 */
export async function disableForStop(output: Output): Promise<void> {
  const command = 'disable --stop';
  requireRoot(command);
  const { config } = await usableConfig().catch(() => ({ config: defaultConfig }));
  // A bridge the admin built is the admin's to take apart.
  if (config.disableOvsInit.value) return;
  const { takeBackPending } = await import('../run/undo.ts');
  await takeBackPending(output.say);
  report('disable', await reconcile(planNone, noWait, disabling(command, output)), output);
}

const planNone: Planner = (observation) => ({ kind: 'planned', plan: planDisable(observation) });

function disabling(command: string, output: Output): ReconcileOptions {
  return { command, confirmTimeoutSeconds: null, ...reporting(output) };
}

const nothingToTune: TuningPlan = { steps: [], differences: [], notes: [] };

function tunerFor(
  config: Config,
  planner: typeof planTuning,
  output: Output,
): (observation: Observation) => TuningPlan {
  return ({ tuning, ovs }) => {
    const plan = tuning === undefined ? nothingToTune : planner(config, tuning, ovs);
    if (output.verbose) sayNotes(plan.notes, output);
    return plan;
  };
}

/** The result of a run, in both forms. */
export function report(command: string, result: ReconcileResult, output: Output): void {
  const { plan, observation, transaction, tuning } = result;
  const outcome = transaction === null && tuning.steps.length === 0 ? 'unchanged' : 'changed';
  output.result(reportText(result, output), {
    command,
    outcome,
    transaction,
    plan: planInWords(plan),
    tuning,
    busCalls: result.busCalls,
    ...(output.verbose ? { observation } : {}),
  });
  if (transaction !== null && output.isJournal)
    output.announce({ kind: 'committed', text: doneText(transaction), transaction: transaction.id });
}

function reportText({ plan, observation, transaction, tuning }: ReconcileResult, output: Output): string {
  if (transaction === null) {
    return tuning.steps.length === 0
      ? nothingToDoText
      : 'Done: Open vSwitch is tuned; the network was as wanted already.';
  }
  const drawing = drawTopology(plannedTopology(plan, observation), output.style);
  return output.isJournal ? drawing : `${drawing}\n${doneText(transaction)}`;
}

function doneText({ id, state, confirmUntil }: TransactionResult): string {
  const confirm =
    confirmUntil === null
      ? ''
      : `\nKeep it with \`microshift-net confirm\` before ${confirmUntil}; otherwise it is taken back.`;
  return `Done: transaction ${id} ${state}.${confirm}`;
}
