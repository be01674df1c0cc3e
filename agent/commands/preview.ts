import { planInWords } from '../compare/in-words.ts';
import { AgentError } from '../errors.ts';
import { withNode } from '../run/node.ts';
import type { Planner } from '../run/plan-when-ready.ts';
import { planWithDetails } from '../run/plan-with-details.ts';
import { type PreviewCommand, previewDocument } from '../view/json/run-json.ts';
import { planText } from '../view/plan-view.ts';
import type { Output } from './output.ts';

/** Prints the plan that a command with `--dry-run` would run now, and changes nothing. It does not wait for a NIC. */
export async function preview(command: PreviewCommand, planner: Planner, output: Output): Promise<void> {
  const { plan, observation } = await withNode(async (node) =>
    planWithDetails(await node.observe(), (seen) => {
      const decision = planner(seen, { nic: true, route: true });
      if (decision.kind === 'planned') return { plan: decision.plan };
      throw new AgentError('internal', 'a plan that must not wait wants to');
    }),
  );
  const text = planText(plan, observation, output.style, output.verbose);
  output.result(text, previewDocument(command, plan, observation), { plan: planInWords(plan), observation });
}
