import type { ObjectChange } from '../../model/workload.ts';
import type { WorkloadFacts } from '../part.ts';
import { isSelected, type Selection, selectsNamespace } from './selections.ts';

/**
 * Returns a function that is true for a selection if it includes the pod or namespace that `change` concerns, before or
 * after the change. If a namespace has labels that are not known, a selector that needs them counts as selecting the
 * namespace, as it does in rules that deny.
 */
export function touchedBy(change: ObjectChange, facts: WorkloadFacts): (selection: Selection) => boolean {
  if (change.kind === 'Pod') {
    const pods = [change.before, change.now].flatMap((pod) => pod ?? []);
    return (selection) => pods.some((pod) => isSelected(selection, pod, facts, true));
  }
  if (change.kind !== 'Namespace') return () => false;
  const found = [change.before, change.now].flatMap((namespace) => namespace ?? []);
  return ({ namespaces }) =>
    typeof namespaces !== 'string' && found.some((one) => selectsNamespace(namespaces, one, true));
}
