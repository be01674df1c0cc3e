import type { Workload } from '../../model/workload.ts';
import type { Part } from '../part.ts';
import { addSets, setsOf } from './address-sets.ts';
import { indexedPods } from './indexed-pods.ts';
import { type Selection, selectedPods } from './selections.ts';

/**
 * Planner of the address sets of each namespace, one for each IP family. The sets exist as long as the namespace exists
 * or has a pod or a policy, because rules of policies may refer to them.
 */
export const namespaces: Part = {
  kind: 'namespace',
  keys: ({ workload }) => namesIn(workload),
  concerned: ({ kind, before, now }) => {
    if (kind === 'Namespace') return [...new Set([before, now].flatMap((one) => one?.name ?? []))];
    if (kind !== 'Pod' && kind !== 'NetworkPolicy') return [];
    return [...new Set([before, now].flatMap((one) => one?.namespace ?? []))];
  },
  plan: (name, planner) => {
    const selection: Selection = { namespaces: name, pods: {} };
    const pods = selectedPods(selection, planner).map(([key]) => key);
    if (pods.length === 0 && !isThere(name, planner.workload)) return;
    addSets(planner, setsOf(selection), pods, `rules of policies may select the pods of namespace ${name}`);
  },
};

function namesIn({ namespaces: known, pods, policies }: Workload): ReadonlySet<string> {
  const names = new Set(known.keys());
  for (const objects of [pods, policies]) for (const { namespace } of objects.values()) names.add(namespace);
  return names;
}

function isThere(name: string, { namespaces: known, pods, policies }: Workload): boolean {
  if (known.has(name) || indexedPods(pods).ofNamespace(name).size > 0) return true;
  for (const { namespace } of policies.values()) if (namespace === name) return true;
  return false;
}
