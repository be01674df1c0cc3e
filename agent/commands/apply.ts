import type { TransactionResult } from '../apply/transaction.ts';
import { defaultConfig } from '../config/defaults.ts';
import { effectiveConfig } from '../config/effective.ts';
import type { ConfigFiles, LoadedConfig } from '../config/files.ts';
import { readConfigFiles } from '../config/read-files.ts';
import { mtuWarnings } from '../config/warnings.ts';
import { asAgentError, type ExitCode, exitCode } from '../errors.ts';
import type { Config } from '../model/config.ts';
import type { Observation } from '../model/observation.ts';
import type { TuningPlan } from '../model/tuning.ts';
import { planApply, planDisable } from '../plan/plan.ts';
import { planTuning, planUntuning } from '../plan/tuning.ts';
import { type Planner, type ReconcileResult, reconcile } from '../reconcile/apply.ts';
import { lookAgain } from '../reconcile/look-again.ts';
import { recordRefused } from '../reconcile/run-record.ts';
import { removeHint } from '../reconcile/state-files.ts';
import { patientWait, type WaitOptions } from '../reconcile/wait.ts';
import { rememberSettled } from '../settled/record.ts';
import { drawTopology, plannedTopology } from '../view/topology.ts';
import { nothingToDoText } from './nothing-to-do.ts';
import type { Output } from './output.ts';
import { reporting, sayNotes } from './reporting.ts';
import { requireRoot } from './root.ts';

/** A plan that is not run waits for nothing: it says what would happen now. */
const noWait: WaitOptions = { routeMs: 0, uplinkMs: 0 };

export interface ApplyOptions {
  readonly boot: boolean;
  readonly confirmTimeoutSeconds: number | null;
  /** Tells this build from others; null: what the run saw is not kept for the next one. */
  readonly agentBuild: string | null;
}

/** `apply`: brings the node to what ovn.yaml says. */
export async function apply(options: ApplyOptions, output: Output): Promise<ExitCode> {
  requireRoot('apply');
  const command = options.boot ? 'apply --boot' : 'apply';
  const { files, config, warnings } = await readConfig(command);
  for (const warning of warnings) output.say(`warning: ${warning.source}: ${warning.message}`);
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
  const mtu = uplinkMtuWarnings(config, result);
  for (const warning of mtu) output.say(`warning: ${warning}`);
  report('apply', result, output);
  if (options.agentBuild !== null && warnings.length === 0 && mtu.length === 0) {
    const seen = result.seen ?? (await lookAgain(planner, tuner));
    if (seen !== null) rememberSettled(options.agentBuild, files, seen);
  }
  return exitCode.done;
}

/** A configuration that cannot be used is what monitoring has to tell of, too. */
async function readConfig(command: string): Promise<{ files: ConfigFiles } & LoadedConfig> {
  try {
    const files = readConfigFiles();
    return { files, ...(await effectiveConfig(files)) };
  } catch (error) {
    await recordRefused(command, error);
    throw error;
  }
}

/** The pods' MTU is judged against the uplink's, which is known only now. */
function uplinkMtuWarnings(config: Config, { plan, observation }: ReconcileResult): readonly string[] {
  const uplink = observation.links.find((link) => link.name === plan.choice?.interface);
  return mtuWarnings(config, uplink?.mtuBytes ?? null).map((warning) => `${warning.source}: ${warning.message}`);
}

/** `disable`: gives every NIC back and removes every trace. */
export async function disable(output: Output): Promise<ExitCode> {
  requireRoot('disable');
  // A NIC is given back whatever ovn.yaml has become.
  const { config } = await effectiveConfig().catch(() => ({ config: defaultConfig }));
  const result = await reconcile((observation) => ({ kind: 'planned', plan: planDisable(observation) }), noWait, {
    command: 'disable',
    confirmTimeoutSeconds: null,
    ...reporting(output),
    tuner: tunerFor(config, planUntuning, output),
  });
  try {
    removeHint();
  } catch (error) {
    // The NIC is back by now; a disk that cannot be written is no failure of that.
    output.say(`warning: the hint could not be removed: ${asAgentError(error).message}`);
  }
  report('disable', result, output);
  return exitCode.done;
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
    plan,
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
