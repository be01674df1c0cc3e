import type { TuningPlan } from '../model/tuning.ts';

/** Plan for a node whose Open vSwitch daemons could not be examined, or that a command does not tune. */
export const noTuning: TuningPlan = { steps: [], differences: [], notes: [] };
