import { driftOf } from '../compare/drift.ts';
import { differenceLine, planInWords } from '../compare/in-words.ts';
import { usableConfig } from '../config/effective.ts';
import { mtuWarnings } from '../config/warnings.ts';
import { AgentError, type ExitCode, exitCode } from '../errors.ts';
import type { Config, ConfigWarning } from '../model/config.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import type { TuningPlan } from '../model/tuning.ts';
import { planApply } from '../plan/make-plan.ts';
import { planTuning } from '../plan/tuning/plan-tuning.ts';
import { withNode } from '../run/node.ts';
import { planWithDetails } from '../run/plan-with-details.ts';
import { warningLines } from '../view/config-view.ts';
import { planText } from '../view/plan-view.ts';
import { joinLines } from '../view/style.ts';
import { tuningText } from '../view/tuning-view.ts';
import type { Output } from './output.ts';
import { requireRoot } from './root.ts';

/** `plan`: prints the changes that `apply` would make now. Changes nothing. */
export async function plan(output: Output): Promise<void> {
  requireRoot('plan');
  const made = await planNow();
  if (made === null) {
    const text = 'Nothing to do: disableOVSInit is set, so br-ex is left to you.';
    output.result(text, { command: 'plan', outcome: 'disabled' });
    return;
  }
  const { plan: network, tuning, observation, warnings } = made;
  const lines = planText(network, observation, output.style, output.verbose).split('\n');
  const text = joinLines([...lines, ...tuningText(tuning, output.style), ...warningLines(warnings)]);
  const { outcome } = network;
  output.result(text, { command: 'plan', outcome, plan: planInWords(network), tuning, warnings, observation });
}

/** `verify`: compares the node with its desired state. Exit code 3 if it differs. */
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
  const { differences, faults } = driftOf(made, made.observation);
  const lines = differences.map((entry) => `  ${differenceLine(entry)}`);
  const remedies = [
    ...(differences.length > faults.length ? ['Repair it with: microshift-net apply'] : []),
    ...faults.map(({ subject, remedy }) => `For the ${subject}: ${remedy}`),
  ];
  const text =
    differences.length === 0 ? 'No drift: the node is as wanted.' : joinLines(['Drift:', ...lines, ...remedies]);
  output.result(text, { command: 'verify', outcome: differences.length === 0 ? 'as-wanted' : 'drift', differences });
  return differences.length === 0 ? exitCode.done : exitCode.drift;
}

/** Plan for a node whose Open vSwitch daemons could not be examined. */
export const noTuning: TuningPlan = { steps: [], differences: [], notes: [] };

interface Planned {
  readonly plan: Plan;
  readonly tuning: TuningPlan;
  readonly observation: Observation;
  readonly warnings: readonly ConfigWarning[];
}

async function planNow(): Promise<Planned | null> {
  const { config, warnings } = await usableConfig();
  if (config.disableOvsInit.value) return null;
  return withNode(async (node) => {
    const planned = await planWithDetails(await node.observe(), (observation) => planFor(config, observation));
    return { ...planned, warnings: [...warnings, ...uplinkWarnings(config, planned.plan, planned.observation)] };
  });
}

/** Returns warnings about the MTU of pods compared with that of the uplink, which is known only from a plan. */
export function uplinkWarnings(config: Config, { choice }: Plan, { links }: Observation): readonly ConfigWarning[] {
  return mtuWarnings(config, links.find((link) => link.name === choice?.interface)?.mtuBytes ?? null);
}

/** Returns the plan of `apply` for the present state of the node, without waiting for a route or a NIC. */
export function planFor(config: Config, observation: Observation): { plan: Plan; tuning: TuningPlan } {
  const decision = planApply(config, observation, true);
  if (decision.kind === 'waiting') throw new AgentError('internal', 'a plan that must not wait wants to');
  const { tuning } = observation;
  return { plan: decision.plan, tuning: tuning === undefined ? noTuning : planTuning(config, tuning, observation.ovs) };
}
