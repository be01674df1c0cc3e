import { differenceLine, inWords, planInWords } from '../compare/in-words.ts';
import { effectiveConfig } from '../config/effective.ts';
import { AgentError, type ExitCode, exitCode } from '../errors.ts';
import type { Config } from '../model/config.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import type { TuningPlan } from '../model/tuning.ts';
import { planApply } from '../plan/plan.ts';
import { planTuning } from '../plan/tuning/tuning.ts';
import { withNode } from '../run/node.ts';
import { planText } from '../view/plan-view.ts';
import { tuningText } from '../view/tuning-view.ts';
import type { Output } from './output.ts';
import { requireRoot } from './root.ts';

/** `plan`: everything `apply` would do now. Touches nothing. */
export async function plan(output: Output): Promise<void> {
  requireRoot('plan');
  const made = await planNow();
  if (made === null) {
    const text = 'Nothing to do: disableOVSInit is set, so br-ex is left to you.';
    output.result(text, { command: 'plan', outcome: 'disabled' });
    return;
  }
  const { plan: network, tuning, observation } = made;
  const text = [planText(network, observation, output.style, output.verbose), ...tuningText(tuning, output.style)].join(
    '\n',
  );
  output.result(text, { command: 'plan', outcome: network.outcome, plan: planInWords(network), tuning, observation });
}

/** `verify`: compares the node with what it should be. Exit code 3 when it differs. */
export async function verify(output: Output): Promise<ExitCode> {
  requireRoot('verify');
  const made = await planNow();
  if (made === null) {
    output.result('Not compared: disableOVSInit is set, so br-ex is left to you.', {
      command: 'verify',
      outcome: 'disabled',
    });
    return exitCode.done;
  }
  const differences = [...made.plan.differences.map(inWords), ...made.tuning.differences];
  const lines = differences.map((entry) => `  ${differenceLine(entry)}`);
  const text =
    differences.length === 0
      ? 'No drift: the node is as wanted.'
      : ['Drift:', ...lines, 'Mend it with: microshift-net apply'].join('\n');
  output.result(text, { command: 'verify', outcome: differences.length === 0 ? 'as-wanted' : 'drift', differences });
  return differences.length === 0 ? exitCode.done : exitCode.drift;
}

const noTuning: TuningPlan = { steps: [], differences: [], notes: [] };

async function planNow(): Promise<{ plan: Plan; tuning: TuningPlan; observation: Observation } | null> {
  const { config } = await effectiveConfig();
  if (config.disableOvsInit.value) return null;
  return withNode(async (node) => {
    const observation = await node.observe();
    return { ...planFor(config, observation), observation };
  });
}

/** What `apply` would do with the node as it is, without waiting for anything. */
export function planFor(config: Config, observation: Observation): { plan: Plan; tuning: TuningPlan } {
  const decision = planApply(config, observation, true);
  if (decision.kind === 'waiting') throw new AgentError('internal', 'a plan that must not wait wants to');
  const { tuning } = observation;
  return { plan: decision.plan, tuning: tuning === undefined ? noTuning : planTuning(config, tuning, observation.ovs) };
}
