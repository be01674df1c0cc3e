import { lockDirectory, takeLock } from '../apply/lock.ts';
import { runTuning } from '../apply/tune.ts';
import { openTuning, type TunedFacts } from '../assemble.ts';
import type { OvsFacts } from '../model/observation.ts';
import type { TuningFacts, TuningPlan, TuningStep } from '../model/tuning.ts';

/** Tunes Open vSwitch and nothing else: lock → observe → plan → run → observe. The network, and who configures it, is not asked. */
export async function tuneAlone(
  command: string,
  planner: (facts: TuningFacts, ovs: OvsFacts) => TuningPlan,
  tuned: (step: TuningStep, tookMs: number) => void,
): Promise<TunedFacts & { readonly plan: TuningPlan }> {
  const lock = await takeLock(lockDirectory, command);
  try {
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
  } finally {
    lock.release();
  }
}
