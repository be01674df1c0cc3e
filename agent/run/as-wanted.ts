import { compare } from '../compare/bridges.ts';
import { lostDefaultRoute } from '../compare/default-routes.ts';
import { differenceLine, inWords } from '../compare/in-words.ts';
import { isOfOthers } from '../compare/others.ts';
import { AgentError } from '../errors.ts';
import type { Observation } from '../model/observation.ts';
import type { NetworkDifference, Plan } from '../model/plan.ts';
import { ownNames } from '../plan/names.ts';

/** True when the node is what the plan aimed at. */
export function isAsWanted(plan: Plan, observation: Observation): boolean {
  return ownDifferences(plan, observation).length === 0;
}

/**
 * A run does not fail for what others had: the kernel may refuse it by now, and ports are for their owners to add. What another program puts on the NIC at
 * that moment is for the next run to move.
 */
function ownDifferences(plan: Plan, observation: Observation): readonly NetworkDifference[] {
  return compare(plan.wanted, observation, ownNames).filter(
    (entry) => !isOfOthers(entry) && (entry.kind !== 'uplink-configured' || entry.others !== true),
  );
}

/** The node must now be exactly what the plan aimed at. */
export function proveWanted(plan: Plan, observation: Observation): void {
  const [first, ...more] = ownDifferences(plan, observation).map(inWords);
  if (first !== undefined) {
    const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
    throw new AgentError('proof-failed', `${first.subject} is ${first.observed} instead of ${first.wanted}${rest}`, {
      hint: 'run `microshift-net plan --verbose` to see what it aims at',
      facts: { differences: [first, ...more].map(differenceLine) },
    });
  }
  for (const moved of plan.carried) {
    const lost = lostDefaultRoute(moved, observation.routes);
    if (lost !== null)
      throw new AgentError('proof-failed', `${moved.interface} has no ${lost} default route; ${moved.from} had one`, {
        hint: 'look at `ip route`, `ip -6 route` and journalctl -u NetworkManager',
      });
  }
}
