import { planInWords } from '../compare/in-words.ts';
import { AgentError } from '../errors.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import type { TuningPlan } from '../model/tuning.ts';
import { withNode } from '../run/node.ts';
import type { Tuner } from '../run/options.ts';
import type { Planner } from '../run/plan-when-ready.ts';
import { planWithDetails } from '../run/plan-with-details.ts';
import { type PreviewCommand, previewDocument } from '../view/json/run-json.ts';
import { planText } from '../view/plan-view.ts';
import { joinLines } from '../view/style.ts';
import { tuningText } from '../view/tuning-view.ts';
import { noTuning } from './no-tuning.ts';
import type { Output } from './output.ts';
import { withoutBrEx } from './report.ts';

/**
 * Prints the plan that a command would run now without its option `--dry-run`, and changes nothing. Does not wait for a
 * NIC. `tuner` plans the changes to the daemons of Open vSwitch that the command would make after this plan.
 */
export async function preview(
  command: PreviewCommand,
  planner: Planner,
  output: Output,
  tuner: Tuner = () => noTuning,
): Promise<void> {
  const planned = await withNode(async (node) =>
    planWithDetails(
      await node.observe(),
      (seen) => {
        const decision = planner(seen, { nic: true, route: true });
        if (decision.kind === 'planned') return { plan: decision.plan, tuning: tuner(seen, decision.plan) };
        throw new AgentError('internal', 'a plan that must not wait wants to');
      },
      node.bus,
    ),
  );
  const { plan, tuning, observation } = planned;
  output.result(previewText(command, planned, output), previewDocument(command, planned), {
    plan: planInWords(plan),
    tuning,
    observation,
  });
}

/**
 * Returns a text with the plan that a command would run without its option `--dry-run`, and with the steps that would
 * then change the daemons of Open vSwitch.
 */
export function previewText(
  command: PreviewCommand,
  {
    plan,
    tuning,
    observation,
  }: { readonly plan: Plan; readonly tuning: TuningPlan; readonly observation: Observation },
  { style, verbose }: Pick<Output, 'style' | 'verbose'>,
): string {
  const unchanged = command === 'disable' ? withoutBrEx : undefined;
  const lines = planText(plan, observation, style, verbose, tuning.differences, unchanged).split('\n');
  return joinLines([...lines, ...tuningText(tuning, style)]);
}
