import type { Bus } from '../drivers/dbus/bus-connection.ts';
import { readSurroundings } from '../facts/read-surroundings.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';

/** Result of planning, with the observation that it is based on. */
export type Detailed<T> = T & { readonly observation: Observation };

/**
 * Plans a change. If the plan puts a NIC into a bridge, plans again with additional facts that only such a plan needs.
 * The facts about firewalld are read over `bus` if it is given, and over a new connection otherwise. `planned` is the
 * plan for the observation if the caller already has it. Throws the errors of the planner.
 */
export async function planWithDetails<T extends { readonly plan: Plan }>(
  observation: Observation,
  planner: (observation: Observation) => T,
  bus?: Bus,
  planned: T = planner(observation),
): Promise<Detailed<T>> {
  if (!planned.plan.steps.some((step) => step.do === 'attachUplink')) return { ...planned, observation };
  const closer = { ...observation, ...(await readSurroundings(observation.links, bus)) };
  return { ...planner(closer), observation: closer };
}
