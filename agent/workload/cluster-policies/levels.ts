import type { ClusterNetworkPolicy, ClusterRule } from '../../model/workload.ts';
import { aclPriorities } from '../../overlay/rows/acl-priorities.ts';
import type { Direction } from '../policies/clauses.ts';

/** Number of ACL priorities for each priority that a policy of a tier can have. */
const levels = 16;
/** Largest priority number of a policy, which has the lowest precedence. */
const lastPriority = 1000;

/** Returns the ingress rules or the egress rules of a policy. */
export function rulesOf({ ingress, egress }: ClusterNetworkPolicy, direction: Direction): readonly ClusterRule[] {
  return direction === 'Ingress' ? ingress : egress;
}

/**
 * Returns the effect of each rule of a policy on OVN's ACLs, in order. The effect of a Pass rule is `null` in the Admin
 * tier, because the rule has no ACL of its own. In the Baseline tier, which is the last one, Pass is the same as
 * Accept. If the policy groups namespaces, the first effect on ingress is Accept, for packets within a group.
 */
export function actionsInOrder(
  policy: ClusterNetworkPolicy,
  direction: Direction,
): readonly ('Accept' | 'Deny' | null)[] {
  const own = policy.groupLabel !== undefined && direction === 'Ingress' ? (['Accept'] as const) : [];
  const rules = rulesOf(policy, direction).map(({ action }) => {
    if (action !== 'Pass') return action;
    return policy.tier === 'Admin' ? null : 'Accept';
  });
  return [...own, ...rules];
}

/** Returns the number of changes between Accept and Deny in the actions of successive rules; ignores `null`. */
export function turnsIn(actions: readonly ('Accept' | 'Deny' | null)[]): number {
  const effective = actions.filter((action) => action !== null);
  return effective.filter((action, place) => place > 0 && action !== effective[place - 1]).length;
}

/**
 * Returns the ACL priority of a policy's rule. `turns` is the number of changes between Accept and Deny up to this
 * rule. Successive rules of the same action need no order among themselves, so they have the same priority.
 */
export function aclPriorityOf({ tier, priority }: ClusterNetworkPolicy, turns: number): number {
  const lowest = tier === 'Admin' ? aclPriorities.admin : aclPriorities.baseline;
  return lowest + (lastPriority - priority) * levels + (levels - 1 - turns);
}
