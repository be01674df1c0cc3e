import type { Config } from '../model/config.ts';
import type { Plan } from '../model/plan.ts';
import type { planTuning } from '../plan/tuning/plan-tuning.ts';
import type { Tuner } from '../run/options.ts';
import { noTuning } from './no-tuning.ts';
import type { Output } from './output.ts';
import { sayNotes } from './reporting.ts';

/**
 * Returns the planner of the tuning of a run. `plannerOf` chooses between tuning and its removal by the plan of the
 * network.
 */
export function tunerFor(config: Config, plannerOf: (plan: Plan) => typeof planTuning, output: Output): Tuner {
  return ({ tuning, ovs }, plan) => {
    const planned = tuning === undefined ? noTuning : plannerOf(plan)(config, tuning, ovs);
    if (output.verbose) sayNotes(planned.notes, output);
    return planned;
  };
}
