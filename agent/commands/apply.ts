import { effectiveConfig } from '../config/effective.ts';
import { type ExitCode, exitCode } from '../errors.ts';
import type { Plan } from '../model/plan.ts';
import { planApply, planDisable } from '../plan/plan.ts';
import { type ReconcileResult, reconcile } from '../reconcile/apply.ts';
import { patientWait, type WaitOptions } from '../reconcile/wait.ts';
import { progressLine } from '../view/progress-view.ts';
import { drawTopology, plannedTopology } from '../view/topology.ts';
import type { Output } from './output.ts';
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
    const text = `Nothing to do: ${config.disableOvsInit.source} says disableOVSInit, so br-ex is left to you.`;
    output.result(text, { command: 'apply', outcome: 'disabled', source: config.disableOvsInit.source });
    return exitCode.done;
  }
  const command = options.boot ? 'apply --boot' : 'apply';
  const result = await reconcile((observation, over) => planApply(config, observation, over), patientWait, {
    command,
    confirmTimeoutSeconds: options.confirmTimeoutSeconds,
    ...reporting(output),
  });
  report('apply', result, output);
  return exitCode.done;
}

/** `disable`: gives every NIC back and removes every trace. */
export async function disable(output: Output): Promise<ExitCode> {
  requireRoot('disable');
  const result = await reconcile((observation) => ({ kind: 'planned', plan: planDisable(observation) }), noWait, {
    command: 'disable',
    confirmTimeoutSeconds: null,
    ...reporting(output),
  });
  report('disable', result, output);
  return exitCode.done;
}

/** Progress and remarks of a run, on standard error. */
export function reporting(output: Output) {
  return {
    say: (message: string) => output.say(message),
    progress: (event: Parameters<typeof progressLine>[0]) => {
      const line = output.format === 'json' ? null : progressLine(event, output.style);
      if (line !== null) output.say(line);
    },
    onPlan: (plan: Plan) => {
      for (const note of plan.notes) output.say(`${note.level === 'warning' ? 'warning: ' : ''}${note.message}`);
      if (output.verbose) for (const line of plan.choice?.trace ?? []) output.say(line);
    },
  };
}

/** The result of a run, in both forms. */
export function report(command: string, result: ReconcileResult, output: Output): void {
  const { plan, observation, transaction } = result;
  const outcome = transaction === null ? 'unchanged' : 'changed';
  output.result(reportText(result, output), {
    command,
    outcome,
    transaction,
    plan,
    busCalls: result.busCalls,
    ...(output.verbose ? { observation } : {}),
  });
}

function reportText({ plan, observation, transaction }: ReconcileResult, output: Output): string {
  if (transaction === null) return 'Nothing to do: the node is as wanted.';
  const confirm =
    transaction.confirmUntil === null
      ? ''
      : `\nKeep it with \`microshift-net confirm\` before ${transaction.confirmUntil}; otherwise it is taken back.`;
  return `${drawTopology(plannedTopology(plan, observation), output.style)}\nDone: transaction ${transaction.id} ${transaction.state}.${confirm}`;
}
