import type { NamespacedName, Pod } from '../../model/workload.ts';

/**
 * Pods, indexed by namespace, so that the time of a search for the pods of one namespace depends only on the number of
 * these pods.
 */
export class IndexedPods extends Map<NamespacedName, Pod> {
  readonly #namespaces = new Map<string, Map<NamespacedName, Pod>>();

  ofNamespace(name: string): ReadonlyMap<NamespacedName, Pod> {
    return this.#namespaces.get(name) ?? none;
  }

  override set(key: NamespacedName, pod: Pod): this {
    const pods = this.#namespaces.get(pod.namespace) ?? new Map<NamespacedName, Pod>();
    this.#namespaces.set(pod.namespace, pods.set(key, pod));
    return super.set(key, pod);
  }

  override delete(key: NamespacedName): boolean {
    const namespace = this.get(key)?.namespace ?? '';
    const pods = this.#namespaces.get(namespace);
    pods?.delete(key);
    if (pods?.size === 0) this.#namespaces.delete(namespace);
    return super.delete(key);
  }
}

const none: ReadonlyMap<NamespacedName, Pod> = new Map<NamespacedName, Pod>();

/** Returns the same pods with an index: the argument itself if it has one. */
export function indexedPods(pods: ReadonlyMap<NamespacedName, Pod>): IndexedPods {
  if (pods instanceof IndexedPods) return pods;
  const indexed = new IndexedPods();
  for (const [key, pod] of pods) indexed.set(key, pod);
  return indexed;
}
