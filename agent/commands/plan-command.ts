import { driftOf } from '../compare/drift.ts';
import { differenceLine, planInWords } from '../compare/in-words.ts';
import { missingFromBridge } from '../compare/manual-bridge.ts';
import { usableConfig } from '../config/effective.ts';
import { mtuWarnings } from '../config/warnings.ts';
import { AgentError, type ExitCode, exitCode } from '../errors.ts';
import { endingWith } from '../failures.ts';
import type { Config, ConfigWarning } from '../model/config.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan, WantedBridge } from '../model/plan.ts';
import type { TuningPlan } from '../model/tuning.ts';
import { planApply } from '../plan/make-plan.ts';
import { planTuning } from '../plan/tuning/plan-tuning.ts';
import { type Node, openTuning, withNode } from '../run/node.ts';
import { planWithDetails } from '../run/plan-with-details.ts';
import { withAppliedSettings } from '../run/read-applied.ts';
import { leftBridgeLines } from '../view/changes-view.ts';
import { warningLines } from '../view/config-view.ts';
import { planDocument, tuningPlanDocument, verifyDocument } from '../view/json/plan-json.ts';
import { pendingLines } from '../view/pending-view.ts';
import { planText } from '../view/plan-view.ts';
import { missingText } from '../view/status-view.ts';
import { joinLines } from '../view/style.ts';
import { tuningText } from '../view/tuning-view.ts';
import { noTuning } from './no-tuning.ts';
import type { Output } from './output.ts';
import { readPending } from './pending.ts';
import { requireRoot } from './root.ts';

/**
 * `plan`: prints the changes that `apply` would make now. Changes nothing. Unless the administrator builds br-ex, fails
 * with `vswitchd-not-responding` if ovs-vswitchd does not answer, because `apply` would fail as well.
 */
export async function plan(output: Output): Promise<void> {
  requireRoot('plan');
  const { config, warnings: ofFiles } = await usableConfig();
  if (config.disableOvsInit.value) return planTuningAlone(config, ofFiles, output);
  const { plan: network, tuning, observation, warnings } = await planNow(config, ofFiles, withAnswerAndSettings);
  const pending = readPending(observation);
  const waiting = pendingLines(pending, Date.now(), output.style);
  const lines = [
    ...waiting,
    ...(waiting.length === 0 ? [] : ['']),
    ...planText(network, observation, output.style, output.verbose, tuning.differences).split('\n'),
  ];
  const text = joinLines([...lines, ...tuningText(tuning, output.style), ...warningLines(warnings)]);
  const document = planDocument(network, tuning, observation, pending, warnings);
  output.result(text, document, { plan: planInWords(network), tuning, observation });
}

/** Prints the plan of a run that only tunes Open vSwitch, because the administrator builds br-ex. */
async function planTuningAlone(config: Config, warnings: readonly ConfigWarning[], output: Output): Promise<void> {
  const ports = await openTuning();
  const facts = await endingWith(ports.observe, ports.close);
  const tuning = planTuning(config, facts.tuning, facts.ovs);
  const { source } = config.disableOvsInit;
  const lacks = missingFromBridge(facts, config.uplink.value === 'none');
  const lines = leftBridgeLines(source, facts, tuning.differences, output.style);
  const text = [...lines, missingText(lacks), ...tuningText(tuning, output.style), ...warningLines(warnings)];
  output.result(text.join('\n'), tuningPlanDocument(source, tuning, lacks, warnings), { tuning });
}

/**
 * `verify`: compares the node with its desired state, unless the administrator builds br-ex. Exit code 3 if the node
 * differs. Fails with `vswitchd-not-responding` if ovs-vswitchd does not answer, because bridges may then forward
 * nothing.
 */
export async function verify(output: Output): Promise<ExitCode> {
  requireRoot('verify');
  const { config, warnings } = await usableConfig();
  if (config.disableOvsInit.value) {
    const text = 'Not compared: disableOVSInit is set, so br-ex is left to you.';
    output.result(joinLines([text, ...warningLines(warnings)]), verifyDocument(null, [], null, warnings));
    return exitCode.done;
  }
  const made = await planNow(config, warnings, withAnswer);
  const { differences, faults } = driftOf(made, made.observation);
  const lines = differences.map((entry) => `  ${differenceLine(entry)}`);
  const remedies = [
    ...(differences.length > faults.length ? ['Repair it with: microshift-net apply'] : []),
    ...faults.map(({ subject, remedy }) => `For the ${subject}: ${remedy}`),
  ];
  const pending = readPending(made.observation);
  const compared =
    differences.length === 0 ? ['No drift: the node is in the desired state.'] : ['Drift:', ...lines, ...remedies];
  const waiting = pendingLines(pending, Date.now(), output.style);
  const text = joinLines([...compared, ...waiting, ...warningLines(made.warnings)]);
  output.result(text, verifyDocument(differences, faults, pending, made.warnings), { differences });
  return differences.length === 0 ? exitCode.done : exitCode.drift;
}

interface Planned {
  readonly plan: Plan;
  readonly tuning: TuningPlan;
  readonly observation: Observation;
  readonly warnings: readonly ConfigWarning[];
}

/**
 * Function that is called with the observation of a node before `plan` or `verify` prints its result. It returns the
 * observation, with added facts that planning does not need, or fails if ovs-vswitchd does not answer.
 */
type FurtherFacts = (
  node: Pick<Node, 'nm' | 'ovs'>,
  bridges: readonly WantedBridge[],
  observation: Observation,
) => Promise<Observation>;

/** Fails with `vswitchd-not-responding` if ovs-vswitchd does not answer. */
const withAnswer: FurtherFacts = async ({ ovs }, _bridges, observation) => {
  await ovs.probeVswitchd();
  return observation;
};

const withAnswerAndSettings: FurtherFacts = async (node, bridges, observation) =>
  withAppliedSettings(node, bridges, await withAnswer(node, bridges, observation));

async function planNow(config: Config, warnings: readonly ConfigWarning[], further: FurtherFacts): Promise<Planned> {
  return withNode(async (node) => {
    const planned = await planWithDetails(
      await node.observe(),
      (observation) => planFor(config, observation),
      node.bus,
    );
    const observation = await further(node, planned.plan.wanted.bridges, planned.observation);
    return { ...planned, observation, warnings: [...warnings, ...uplinkWarnings(config, planned.plan, observation)] };
  });
}

/**
 * Returns the warnings about the MTU of pods. They depend on the MTU of the uplink, which is known only from a plan.
 */
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
