import { openNode } from '../assemble.ts';
import type { Plan } from '../model/plan.ts';
import type { TuningPlan } from '../model/tuning.ts';
import { recordAnswers, type Seen } from '../settled/record.ts';
import type { Planner, Tuner } from './apply.ts';

/** True when there is nothing to do and nothing to say: a run that only says so again need not plan. */
export function isSettled(plan: Plan, tuning: TuningPlan): boolean {
  return plan.outcome === 'unchanged' && plan.notes.length === 0 && tuning.steps.length === 0;
}

/** Looks at the node once more after a change, as the next run will; null when that would find something to do or to say. */
export async function lookAgain(planner: Planner, tuner: Tuner): Promise<Seen | null> {
  const answers = recordAnswers();
  const node = await openNode(answers.taps).catch(() => null);
  if (node === null) return null;
  try {
    const observation = await node.observe();
    const decision = planner(observation, true);
    const settled = decision.kind === 'planned' && isSettled(decision.plan, tuner(observation));
    return settled ? answers.seen(observation) : null;
  } catch {
    // The change is done and proven; whoever does not answer now is told of by the next run.
    return null;
  } finally {
    node.close();
  }
}
