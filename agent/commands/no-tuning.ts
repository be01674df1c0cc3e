import type { TuningPlan } from '../model/tuning.ts';

/**
 * Plan for a command that does not tune the Open vSwitch daemons, or for a node on which they could not be examined.
 */
export const noTuning: TuningPlan = { steps: [], differences: [], notes: [] };
