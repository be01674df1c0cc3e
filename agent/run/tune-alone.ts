import type { OvsFacts } from '../model/observation.ts';
import type { TuningFacts, TuningPlan, TuningStep } from '../model/tuning.ts';
import { startRecord } from './journal/record-run.ts';
import { withLock } from './lock.ts';
import { openTuning, type TunedFacts } from './node.ts';
import type { Say } from './reported-wait.ts';
import { runTuning } from './steps/tuning-steps.ts';

/**
 * Tunes the daemons of Open vSwitch and changes nothing else. Needs neither the network nor NetworkManager. For
 * `apply`, records the result of the run (journal/record-run.ts), like a run that also configures the network.
 */
export async function tuneAlone(
  command: string,
  planner: (facts: TuningFacts, ovs: OvsFacts) => TuningPlan,
  tuned: (step: TuningStep, tookMs: number) => void,
  say: Say,
): Promise<TunedFacts & { readonly plan: TuningPlan }> {
  const tune = async () => {
    const record = command.startsWith('apply') ? startRecord(command) : null;
    try {
      const result = await tuneLocked(planner, tuned);
      record?.ended(result.plan.steps.length > 0, null);
      return result;
    } catch (error) {
      record?.failed(error);
      throw error;
    }
  };
  return withLock(command, tune, say);
}

async function tuneLocked(
  planner: Parameters<typeof tuneAlone>[1],
  tuned: Parameters<typeof tuneAlone>[2],
): ReturnType<typeof tuneAlone> {
  const ports = await openTuning();
  try {
    const before = await ports.observe();
    const plan = planner(before.tuning, before.ovs);
    if (plan.steps.length === 0) return { plan, ...before };
    await runTuning(ports, plan.steps, tuned);
    return { plan, ...(await ports.observe()) };
  } finally {
    ports.close();
  }
}
