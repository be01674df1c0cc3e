import type {
  LabelSelector,
  Namespace,
  NetworkPolicy,
  ObjectKey,
  Pod,
  PolicyPeer,
  Protocol,
} from '../../model/workload.ts';
import type { WorkloadFacts } from '../part.ts';
import { indexedPods } from './indexed-pods.ts';
import { canonicalSelector, isEverything, selects } from './selectors.ts';

/** Which pods: those of one namespace or of namespaces with labels, with labels of their own. */
export interface Selection {
  /** A name, or a selector of namespaces. */
  readonly namespaces: string | LabelSelector;
  readonly pods: LabelSelector;
  /** Only those that have a container's port of this name. */
  readonly port?: NamedPort;
}

export interface NamedPort {
  readonly name: string;
  readonly protocol: Protocol;
}

/** A selection as text: equal selections have equal keys. */
export type SelectionKey = string;

export const everyPod: Selection = { namespaces: {}, pods: {} };

/** Pods that a policy is for. */
export function targetsOf({ namespace, podSelector }: NetworkPolicy): Selection {
  return { namespaces: namespace, pods: canonicalSelector(podSelector) };
}

/** Pods that a peer of a policy in this namespace stands for. */
export function peersOf(namespace: string, { podSelector, namespaceSelector }: PolicyPeer): Selection {
  return {
    namespaces: namespaceSelector === undefined ? namespace : canonicalSelector(namespaceSelector),
    pods: canonicalSelector(podSelector ?? {}),
  };
}

export function keyOf({ namespaces, pods, port }: Selection): SelectionKey {
  return JSON.stringify({ namespaces, pods, ...(port && { port: { name: port.name, protocol: port.protocol } }) });
}

/** The selection of a key; null: it is none. */
export function selectionOf(key: SelectionKey): Selection | null {
  try {
    return JSON.parse(key) as Selection;
  } catch {
    return null;
  }
}

/** The namespace whose pods all are selected; null: not those of exactly one. */
export function wholeNamespace({ namespaces, pods, port }: Selection): string | null {
  return typeof namespaces === 'string' && isEverything(pods) && port === undefined ? namespaces : null;
}

/** True for a pod that is selected by its labels, and those of its namespace; a namespace that is not known has none that could be. */
export function isSelected(selection: Selection, pod: Pod, { workload }: WorkloadFacts): boolean {
  const { namespaces } = selection;
  if (typeof namespaces === 'string') return pod.namespace === namespaces && isWanted(selection, pod);
  const namespace = workload.namespaces.get(pod.namespace);
  return namespace !== undefined && selectsNamespace(namespaces, namespace) && isWanted(selection, pod);
}

/** True for a namespace whose labels are selected. The labels of one that is beyond its budget are not known, so that no selector may let its pods in. */
export function selectsNamespace(selector: LabelSelector, { labels, refusal }: Namespace): boolean {
  return refusal === undefined && selects(selector, labels);
}

/** The same of a pod in a right namespace. */
function isWanted({ pods, port }: Selection, pod: Pod): boolean {
  return selects(pods, pod.labels) && (port === undefined || numbersOf(port, pod).length > 0);
}

/**
 * The number that a pod's port of this name has; none: it has no such port. Where containers use one name for several, the first counts, as it does in an
 * EndpointSlice (k8s.io/endpointslice, FindPort: containers in their order, then sidecars).
 */
export function numbersOf({ name, protocol }: NamedPort, { ports }: Pod): readonly number[] {
  for (const port of ports) if (port.name === name && port.protocol === protocol) return [port.containerPort];
  return [];
}

/** The pods that are selected and have, or get, a port of their own on the network, with their keys. */
export function selectedPods(
  selection: Selection,
  { workload }: WorkloadFacts,
): readonly (readonly [ObjectKey, Pod])[] {
  const { namespaces } = selection;
  const names = new Set<string>();
  if (typeof namespaces === 'string') names.add(namespaces);
  else for (const one of workload.namespaces.values()) if (selectsNamespace(namespaces, one)) names.add(one.name);
  const selected: [ObjectKey, Pod][] = [];
  const pods = indexedPods(workload.pods);
  for (const name of names)
    for (const entry of pods.ofNamespace(name))
      if (takesPart(entry[1]) && isWanted(selection, entry[1])) selected.push(entry);
  return selected;
}

function takesPart({ nodeName, isHostNetwork, isOver, refusal }: Pod): boolean {
  return nodeName !== null && !isHostNetwork && !isOver && refusal === undefined;
}
