import { compare } from '../compare/compare-bridges.ts';
import { isOfOthers } from '../compare/compare-others.ts';
import { differenceLine, inWords } from '../compare/in-words.ts';
import { AgentError } from '../errors.ts';
import { ownNames } from '../model/names.ts';
import type { Observation } from '../model/observation.ts';
import type { NetworkDifference, Plan } from '../model/plan.ts';

/** Returns true if the node is in the state that the plan aimed at. */
export function isInDesiredState(plan: Plan, observation: Observation): boolean {
  return ownDifferences(plan, observation).length === 0;
}

/**
 * Returns the differences in the objects that the agent configures. Foreign ports and foreign entries (addresses,
 * routes, rules, neighbours) are left out, because the run cannot guarantee that they are restored: the kernel may
 * refuse an entry that it accepted before, and only the program that added a missing port can add it again. An entry
 * that another program adds to the NIC during the run is moved to the bridge by the next run.
 */
function ownDifferences(plan: Plan, observation: Observation): readonly NetworkDifference[] {
  return compare(plan.wanted, observation, ownNames).filter(
    (entry) => !isOfOthers(entry) && (entry.kind !== 'uplink-configured' || entry.others !== true),
  );
}

/** Fails with `proof-failed` unless the node is in the state that the plan aimed at. */
export function proveDesiredState(plan: Plan, observation: Observation): void {
  const [first, ...more] = ownDifferences(plan, observation).map(inWords);
  if (first !== undefined) {
    const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
    throw new AgentError('proof-failed', `${first.subject} is ${first.observed} instead of ${first.wanted}${rest}`, {
      hint: 'run `microshift-net plan --verbose` to see what it aims at',
      facts: { differences: [first, ...more].map(differenceLine) },
    });
  }
}
