import type { CollectionName, ObjectChange, Workload } from '../model/workload.ts';
import { IndexedPods } from './policies/indexed-pods.ts';
import { IndexedServices } from './services/indexed-services.ts';
import { IndexedSlices } from './services/indexed-slices.ts';

/** Collections of Kubernetes objects by kind, to which objects can be added. */
export type OpenWorkload = {
  readonly [Of in CollectionName]: Workload[Of] extends ReadonlyMap<infer Key, infer One> ? Map<Key, One> : never;
} & { readonly unread: Set<ObjectChange['kind']> };

/** Returns empty collections. */
export function emptyWorkload(): OpenWorkload {
  return {
    nodes: new Map(),
    namespaces: new Map(),
    pods: new IndexedPods(),
    services: new IndexedServices(),
    slices: new IndexedSlices(),
    policies: new Map(),
    clusterPolicies: new Map(),
    unread: new Set(),
  };
}
