import type { EndpointSlice, ObjectKey, Workload } from '../../model/workload.ts';

/** Groups the EndpointSlices by service, once for each state of the collection, because a restart plans thousands of services. */
export function slicesByService({
  slices,
}: Pick<Workload, 'slices'>): ReadonlyMap<ObjectKey, readonly EndpointSlice[]> {
  const found = new Map<ObjectKey, EndpointSlice[]>();
  for (const slice of slices.values()) {
    const key = serviceOf(slice);
    if (key === null) continue;
    const others = found.get(key);
    if (others === undefined) found.set(key, [slice]);
    else others.push(slice);
  }
  return found;
}

/** The service that a slice has endpoints of; null: none. */
export function serviceOf(slice: EndpointSlice | undefined): ObjectKey | null {
  return slice === undefined || slice.serviceName === null ? null : `${slice.namespace}/${slice.serviceName}`;
}
