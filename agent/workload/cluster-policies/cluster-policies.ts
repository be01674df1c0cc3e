import type { ObjectChange } from '../../model/workload.ts';
import type { Part, WorkloadFacts } from '../part.ts';
import { touchedBy } from '../policies/concerned.ts';
import { clusterPolicyKind, rowsOf } from './cluster-policy-rows.ts';
import { clusterSets } from './peer-sets.ts';
import { dependenciesOf, hasPass } from './policy-dependencies.ts';
import { decisionsOf } from './traffic.ts';

/**
 * Planner of the rows of each ClusterNetworkPolicy: port groups of the pods to which the policy applies, ACLs of these
 * groups, and address sets of the peers. The rows of a policy in the Admin tier depend on the Pass rules of all
 * policies before it.
 */
export const clusterPolicies: Part = {
  kind: clusterPolicyKind,
  keys: ({ workload }) => workload.clusterPolicies.keys(),
  concerned: concernedNames,
  *plan(key, planner) {
    const policy = planner.workload.clusterPolicies.get(key);
    if (policy === undefined) return;
    const rows = rowsOf(policy, planner);
    for (const decision of decisionsOf(policy, planner, clusterSets(planner))) {
      for (const [part, traffic] of decision.traffic.entries()) {
        rows.add(decision, part, traffic);
        yield;
      }
      yield;
    }
  },
};

function* concernedNames(change: ObjectChange, facts: WorkloadFacts): Generator<string, void, undefined> {
  const all = [...facts.workload.clusterPolicies.values()];
  if (change.kind === 'ClusterNetworkPolicy') {
    const [before, now] = [change.before, change.now];
    const name = (now ?? before)?.name;
    if (name !== undefined) yield name;
    if ([before, now].some((one) => one !== undefined && hasPass(one)))
      for (const one of all) if (one.tier === 'Admin' && one.name !== name) yield one.name;
    return;
  }
  if (change.kind === 'Node') {
    for (const policy of all) if (dependenciesOf(policy, all).hasNodes) yield policy.name;
    return;
  }
  if (change.kind !== 'Pod' && change.kind !== 'Namespace') return;
  const isTouched = touchedBy(change, facts);
  for (const policy of all) {
    const { selections, isOfEveryPod } = dependenciesOf(policy, all);
    if (isOfEveryPod || selections.some(isTouched)) yield policy.name;
  }
}
