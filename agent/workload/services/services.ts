import type { EndpointSlice, ObjectKey } from '../../model/workload.ts';
import type { Draft } from '../../overlay/draft.ts';
import type { Part, UnitDraft } from '../part.ts';
import { balancersOf } from './balancers.ts';
import { wantBalancer } from './rows.ts';

/** Load balancers of services; a unit is a service with all of its slices. */
export const services: Part = {
  kind: 'service',
  keys: ({ workload }) =>
    [...workload.services].flatMap(([key, { clusterIPs }]) => (clusterIPs.length > 0 ? [key] : [])),
  concerned: ({ kind, before, now }) => {
    if (kind === 'Service')
      return [before, now].flatMap((one) => (one === undefined ? [] : [`${one.namespace}/${one.name}`]));
    if (kind === 'EndpointSlice') return new Set([before, now].flatMap((one) => serviceOf(one) ?? []));
    return [];
  },
  want: (key, unit) => {
    const service = unit.workload.services.get(key);
    if (service === undefined) return;
    for (const balancer of balancersOf(service, slicesOf(unit).get(key) ?? [], unit.nodes))
      wantBalancer(unit, service, balancer);
  },
};

/** Of every service, once for all units of a plan: a restart plans thousands of them. */
const slicesOfPlan = new WeakMap<Draft, ReadonlyMap<ObjectKey, readonly EndpointSlice[]>>();

function slicesOf({ draft, workload }: UnitDraft): ReadonlyMap<ObjectKey, readonly EndpointSlice[]> {
  const known = slicesOfPlan.get(draft);
  if (known !== undefined) return known;
  const slices = new Map<ObjectKey, EndpointSlice[]>();
  for (const slice of workload.slices.values()) {
    const key = serviceOf(slice);
    if (key === null) continue;
    const others = slices.get(key);
    if (others === undefined) slices.set(key, [slice]);
    else others.push(slice);
  }
  slicesOfPlan.set(draft, slices);
  return slices;
}

function serviceOf(slice: EndpointSlice | undefined): ObjectKey | null {
  return slice === undefined || slice.serviceName === null ? null : `${slice.namespace}/${slice.serviceName}`;
}
