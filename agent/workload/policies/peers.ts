import type { NetworkPolicy } from '../../model/workload.ts';
import type { Part } from '../part.ts';
import { distinctNumbers } from './access-lists.ts';
import { addSets, setsOf } from './address-sets.ts';
import { termsOf } from './clauses.ts';
import { touchedBy } from './concerned.ts';
import { numbersOf, type Selection, type SelectionKey, selectedPods, selectionOf } from './selections.ts';

/**
 * Planner of address sets for each selection of pods to which a rule refers; whole namespaces have their own planner
 * (namespaces.ts). Equal selections share their sets.
 */
export const peers: Part = {
  kind: 'peers',
  keys: ({ workload }) => selectionsIn(workload.policies.values()).keys(),
  concerned: (change, facts) => {
    if (change.kind === 'NetworkPolicy')
      return selectionsIn([change.before, change.now].flatMap((one) => one ?? [])).keys();
    const isTouched = touchedBy(change, facts);
    return [...selectionsIn(facts.workload.policies.values())].flatMap(([key, selection]) =>
      isTouched(selection) ? [key] : [],
    );
  },
  plan: (key, planner) => {
    const selection = selectionOf(key);
    if (selection === null || !isUsed(key, planner.workload.policies.values())) return;
    const { port } = selection;
    const pods = selectedPods(selection, planner);
    if (port === undefined) {
      const all = pods.map(([pod]) => pod);
      addSets(planner, setsOf(selection), all, 'rules of policies select these pods');
      return;
    }
    for (const number of distinctNumbers(selection, planner)) {
      const there = pods.flatMap(([key, pod]) => (numbersOf(port, pod).includes(number) ? [key] : []));
      addSets(planner, setsOf(selection, number), there, `port ${port.name} of these pods is ${number}`);
    }
  },
};

function selectionsIn(policies: Iterable<NetworkPolicy>): ReadonlyMap<SelectionKey, Selection> {
  const all = new Map<SelectionKey, Selection>();
  for (const policy of policies) for (const [key, selection] of termsOf(policy).selections) all.set(key, selection);
  return all;
}

function isUsed(key: SelectionKey, policies: Iterable<NetworkPolicy>): boolean {
  for (const policy of policies) if (termsOf(policy).selections.has(key)) return true;
  return false;
}
