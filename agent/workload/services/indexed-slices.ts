import type { EndpointSlice, NamespacedName } from '../../model/workload.ts';

/** EndpointSlices of one service. */
export interface SliceGroup {
  readonly slices: ReadonlyMap<NamespacedName, EndpointSlice>;
  /** Number of endpoints in all these EndpointSlices; an EndpointSlice without endpoints counts as one. */
  readonly size: number;
}

/**
 * EndpointSlices, indexed by service. The cost of a change depends on the size of the changed EndpointSlice alone, and
 * not on the number of others.
 */
export class IndexedSlices extends Map<NamespacedName, EndpointSlice> {
  readonly #groups = new Map<NamespacedName, { readonly slices: Map<NamespacedName, EndpointSlice>; size: number }>();

  ofService(service: NamespacedName): SliceGroup | null {
    return this.#groups.get(service) ?? null;
  }

  override set(key: NamespacedName, slice: EndpointSlice): this {
    this.#forget(key);
    const service = serviceOf(slice);
    if (service !== null) {
      const group = this.#groups.get(service) ?? { slices: new Map(), size: 0 };
      group.slices.set(key, slice);
      group.size += sizeOf(slice);
      this.#groups.set(service, group);
    }
    return super.set(key, slice);
  }

  override delete(key: NamespacedName): boolean {
    this.#forget(key);
    return super.delete(key);
  }

  #forget(key: NamespacedName): void {
    const before = this.get(key);
    const service = serviceOf(before);
    const group = service === null ? undefined : this.#groups.get(service);
    if (before === undefined || service === null || group === undefined) return;
    group.slices.delete(key);
    group.size -= sizeOf(before);
    if (group.slices.size === 0) this.#groups.delete(service);
  }
}

/** Returns the same EndpointSlices with an index: the argument itself if it has one. */
export function indexedSlices(slices: ReadonlyMap<NamespacedName, EndpointSlice>): IndexedSlices {
  if (slices instanceof IndexedSlices) return slices;
  const indexed = new IndexedSlices();
  for (const [key, slice] of slices) indexed.set(key, slice);
  return indexed;
}

/** Returns the service whose endpoints an EndpointSlice has; null if it belongs to no service. */
export function serviceOf(slice: EndpointSlice | undefined): NamespacedName | null {
  return slice === undefined || slice.serviceName === null ? null : `${slice.namespace}/${slice.serviceName}`;
}

export function sizeOf({ endpoints }: EndpointSlice): number {
  return Math.max(1, endpoints.length);
}
