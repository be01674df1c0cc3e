import type { Observation } from '../model/observation.ts';
import type { Difference, Plan } from '../model/plan.ts';
import { inWords } from './in-words.ts';
import { type PortFault, portFaults } from './working-ports.ts';

/** What keeps a node from being as wanted. */
export interface Drift {
  /** All of it, in words. */
  readonly differences: readonly Difference[];
  /** The part that no run mends. */
  readonly faults: readonly PortFault[];
}

/** What differs from a plan's aim, what Open vSwitch's daemons lack, and what is wrong with the ports of the uplinks. */
export function driftOf(
  { plan, tuning }: { readonly plan: Plan; readonly tuning: { readonly differences: readonly Difference[] } },
  observation: Observation,
): Drift {
  const faults = portFaults(plan.wanted, observation);
  return { differences: [...plan.differences.map(inWords), ...tuning.differences, ...faults], faults };
}
