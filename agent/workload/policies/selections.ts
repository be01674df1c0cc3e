import type {
  LabelSelector,
  Namespace,
  NamespacedName,
  NetworkPolicy,
  Pod,
  PolicyPeer,
  Protocol,
} from '../../model/workload.ts';
import { mostNumbersOfPort } from '../budget.ts';
import type { WorkloadFacts } from '../part.ts';
import { indexedPods } from './indexed-pods.ts';
import { canonicalSelector, isEverything, nameLabel, selects } from './selectors.ts';

/** Selection of pods: by namespace or by labels of namespaces, and by labels of pods. */
export interface Selection {
  /** Name of a namespace, or a selector of namespaces. */
  readonly namespaces: string | LabelSelector;
  readonly pods: LabelSelector;
  /** Named port that a pod has to have. */
  readonly port?: NamedPort;
}

export interface NamedPort {
  readonly name: string;
  readonly protocol: Protocol;
}

/** Selection as text: equal selections have equal keys. */
export type SelectionKey = string;

export const everyPod: Selection = { namespaces: {}, pods: {} };

/** Returns the pods to which a policy applies. */
export function targetsOf({ namespace, podSelector }: NetworkPolicy): Selection {
  return { namespaces: namespace, pods: canonicalSelector(podSelector) };
}

/** Returns the pods that a peer selects in the rules of a policy in this namespace. */
export function peersOf(namespace: string, { podSelector, namespaceSelector }: PolicyPeer): Selection {
  return {
    namespaces: namespaceSelector === undefined ? namespace : canonicalSelector(namespaceSelector),
    pods: canonicalSelector(podSelector ?? {}),
  };
}

export function keyOf({ namespaces, pods, port }: Selection): SelectionKey {
  return JSON.stringify({ namespaces, pods, ...(port && { port: { name: port.name, protocol: port.protocol } }) });
}

/** Returns the selection from which a key was made; null if the key is malformed. */
export function selectionOf(key: SelectionKey): Selection | null {
  try {
    return JSON.parse(key) as Selection;
  } catch {
    return null;
  }
}

/**
 * Returns the namespace whose pods a selection contains; null unless the selection contains all pods of exactly one
 * namespace.
 */
export function wholeNamespace({ namespaces, pods, port }: Selection): string | null {
  return typeof namespaces === 'string' && isEverything(pods) && port === undefined ? namespaces : null;
}

/**
 * Returns true if a selection includes a pod, by the labels of the pod and of its namespace. A selector of namespaces
 * does not select a namespace that does not exist. With `ifUnknown`, a namespace counts as selected if its labels are
 * needed and not known, because it exceeds its budget.
 */
export function isSelected(selection: Selection, pod: Pod, { workload }: WorkloadFacts, ifUnknown = false): boolean {
  const { namespaces } = selection;
  if (typeof namespaces === 'string') return pod.namespace === namespaces && isWanted(selection, pod);
  const namespace = workload.namespaces.get(pod.namespace);
  return namespace !== undefined && selectsNamespace(namespaces, namespace, ifUnknown) && isWanted(selection, pod);
}

/**
 * Returns true if a selector of namespaces selects a namespace by its labels. If a namespace exceeds its budget, only
 * its name is known. `ifUnknown` is then the result for a selector that needs other labels of the namespace: false for
 * rules that allow, and true for rules that deny, so that no user escapes a rule by too many labels.
 */
export function selectsNamespace(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  { name, labels, refusal }: Namespace,
  ifUnknown = false,
): boolean {
  if (refusal === undefined) return selects({ matchLabels, matchExpressions }, labels);
  const others = Object.keys(matchLabels).filter((key) => key !== nameLabel);
  const ofName = matchExpressions.filter(({ key }) => key === nameLabel);
  const wanted = Object.hasOwn(matchLabels, nameLabel) ? matchLabels[nameLabel] : name;
  if (wanted !== name || !selects({ matchExpressions: ofName }, { [nameLabel]: name })) return false;
  return ifUnknown || (others.length === 0 && ofName.length === matchExpressions.length);
}

/** Returns true if a selection includes a pod by its labels and ports. Ignores the namespace. */
function isWanted({ pods, port }: Selection, pod: Pod): boolean {
  return selects(pods, pod.labels) && (port === undefined || numbersOf(port, pod).length > 0);
}

/**
 * Returns a list with the number of a pod's named port; an empty list if the pod has no such port. If several
 * containers use the name, the first one counts, as in an EndpointSlice (k8s.io/endpointslice, FindPort: containers in
 * their order, then sidecars).
 */
export function numbersOf({ name, protocol }: NamedPort, { ports }: Pod): readonly number[] {
  for (const port of ports) if (port.name === name && port.protocol === protocol) return [port.containerPort];
  return [];
}

/**
 * Returns the numbers that a named port has in pods, smallest first. Each namespace has its own limit (budget.ts), so
 * that no user can displace the numbers of others: a rule that denies packets would no longer cover the displaced
 * numbers.
 */
export function numbersInPods(port: NamedPort, pods: Iterable<Pod>): readonly number[] {
  const byNamespace = new Map<string, Set<number>>();
  for (const pod of pods)
    for (const number of numbersOf(port, pod))
      byNamespace.set(pod.namespace, (byNamespace.get(pod.namespace) ?? new Set()).add(number));
  const served = [...byNamespace.values()].flatMap((numbers) => inOrder(numbers).slice(0, mostNumbersOfPort));
  return inOrder(new Set(served));
}

function inOrder(numbers: ReadonlySet<number>): readonly number[] {
  return [...numbers].toSorted((a, b) => a - b);
}

/**
 * Returns the selected pods that have a logical port or will get a port, with their keys. With `ifUnknown`, a namespace
 * counts as selected if its labels are needed and not known, because it exceeds its budget.
 */
export function selectedPods(
  selection: Selection,
  { workload }: WorkloadFacts,
  ifUnknown = false,
): readonly (readonly [NamespacedName, Pod])[] {
  const { namespaces } = selection;
  const names = new Set<string>();
  if (typeof namespaces === 'string') names.add(namespaces);
  else
    for (const one of workload.namespaces.values())
      if (selectsNamespace(namespaces, one, ifUnknown)) names.add(one.name);
  const selected: [NamespacedName, Pod][] = [];
  const pods = indexedPods(workload.pods);
  for (const name of names)
    for (const entry of pods.ofNamespace(name))
      if (takesPart(entry[1]) && isWanted(selection, entry[1])) selected.push(entry);
  return selected;
}

function takesPart({ nodeName, isHostNetwork, isOver, refusal }: Pod): boolean {
  return nodeName !== null && !isHostNetwork && !isOver && refusal === undefined;
}
