import type { Workload } from '../model/workload.ts';

/** A workload that can be filled. */
export type OpenWorkload = {
  readonly [Of in keyof Workload]: Workload[Of] extends ReadonlyMap<infer Key, infer One> ? Map<Key, One> : never;
};

/** A cluster of which no object is known. */
export function emptyWorkload(): OpenWorkload {
  return {
    nodes: new Map(),
    namespaces: new Map(),
    pods: new Map(),
    services: new Map(),
    slices: new Map(),
    policies: new Map(),
  };
}
