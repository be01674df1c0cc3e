import type { LabelSelector, NetworkPolicy, ObjectKey, Pod, PolicyPeer, Protocol } from '../../model/workload.ts';
import type { WorkloadFacts } from '../part.ts';
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
export function isSelected({ namespaces, pods, port }: Selection, pod: Pod, { workload }: WorkloadFacts): boolean {
  if (typeof namespaces === 'string') {
    if (pod.namespace !== namespaces) return false;
  } else {
    const namespace = workload.namespaces.get(pod.namespace);
    if (namespace === undefined || !selects(namespaces, namespace.labels)) return false;
  }
  return selects(pods, pod.labels) && (port === undefined || numbersOf(port, pod).length > 0);
}

/** Numbers that a pod's ports of this name have; containers may use one name for several. */
export function numbersOf({ name, protocol }: NamedPort, { ports }: Pod): readonly number[] {
  return ports.flatMap((port) => (port.name === name && port.protocol === protocol ? [port.containerPort] : []));
}

/** True for a pod that has, or gets, a port of its own on the network. */
export function takesPart({ nodeName, isHostNetwork, isOver }: Pod): boolean {
  return nodeName !== null && !isHostNetwork && !isOver;
}

/** The pods that are selected and take part, with their keys. */
export function* selectedPods(selection: Selection, facts: WorkloadFacts): Generator<readonly [ObjectKey, Pod]> {
  for (const entry of facts.workload.pods)
    if (isSelected(selection, entry[1], facts) && takesPart(entry[1])) yield entry;
}
