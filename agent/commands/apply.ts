import { defaultConfig } from '../config/defaults.ts';
import { effectiveConfig } from '../config/effective.ts';
import { mtuWarnings } from '../config/warnings.ts';
import { type ExitCode, exitCode } from '../errors.ts';
import type { Config } from '../model/config.ts';
import type { Observation } from '../model/observation.ts';
import type { TuningPlan } from '../model/tuning.ts';
import { planApply, planDisable } from '../plan/plan.ts';
import { planTuning, planUntuning } from '../plan/tuning.ts';
import { type ReconcileResult, reconcile } from '../reconcile/apply.ts';
import { patientWait, type WaitOptions } from '../reconcile/wait.ts';
import { drawTopology, plannedTopology } from '../view/topology.ts';
import type { Output } from './output.ts';
import { reporting, sayNotes } from './reporting.ts';
import { requireRoot } from './root.ts';

/** A plan that is not run waits for nothing: it says what would happen now. */
const noWait: WaitOptions = { routeMs: 0, uplinkMs: 0 };

export interface ApplyOptions {
  readonly boot: boolean;
  readonly confirmTimeoutSeconds: number | null;
}

/** `apply`: brings the node to what ovn.yaml says. */
export async function apply(options: ApplyOptions, output: Output): Promise<ExitCode> {
  requireRoot('apply');
  const { config, warnings } = await effectiveConfig();
  for (const warning of warnings) output.say(`warning: ${warning.source}: ${warning.message}`);
  if (config.disableOvsInit.value) {
    const { tuneOnly } = await import('./ovs.ts');
    return tuneOnly(config, output);
  }
  const command = options.boot ? 'apply --boot' : 'apply';
  const result = await reconcile((observation, over) => planApply(config, observation, over), patientWait, {
    command,
    confirmTimeoutSeconds: options.confirmTimeoutSeconds,
    ...reporting(output),
    tuner: tunerFor(config, planTuning, output),
  });
  for (const warning of uplinkMtuWarnings(config, result)) output.say(`warning: ${warning}`);
  report('apply', result, output);
  return exitCode.done;
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
}

function reportText({ plan, observation, transaction, tuning }: ReconcileResult, output: Output): string {
  if (transaction === null) {
    return tuning.steps.length === 0
      ? 'Nothing to do: the node is as wanted.'
      : 'Done: Open vSwitch is tuned; the network was as wanted already.';
  }
  const confirm =
    transaction.confirmUntil === null
      ? ''
      : `\nKeep it with \`microshift-net confirm\` before ${transaction.confirmUntil}; otherwise it is taken back.`;
  return `${drawTopology(plannedTopology(plan, observation), output.style)}\nDone: transaction ${transaction.id} ${transaction.state}.${confirm}`;
}
