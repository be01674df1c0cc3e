import type { Observation } from '../model/observation.ts';
import type { Difference, Plan } from '../model/plan.ts';
import { inWords } from './in-words.ts';
import { type PortFault, portFaults } from './working-ports.ts';

/** Differences between a node and its desired state. */
export interface Drift {
  /** All differences, in words. */
  readonly differences: readonly Difference[];
  /** Differences that a run cannot remove. */
  readonly faults: readonly PortFault[];
}

/**
 * Returns the differences from a plan's desired state, the missing settings of the Open vSwitch daemons, and the faults
 * of the uplinks' ports.
 */
export function driftOf(
  { plan, tuning }: { readonly plan: Plan; readonly tuning: { readonly differences: readonly Difference[] } },
  observation: Observation,
): Drift {
  const faults = portFaults(plan.wanted, observation);
  return { differences: [...plan.differences.map(inWords), ...tuning.differences, ...faults], faults };
}
