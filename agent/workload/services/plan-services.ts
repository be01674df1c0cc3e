import type { EndpointSlice, NamespacedName, ObjectChange, Service } from '../../model/workload.ts';
import { withoutLength } from '../../overlay/addresses.ts';
import type { DesiredRows } from '../../overlay/rows/desired-rows.ts';
import type { ObjectPlanner, Part, WorkloadFacts } from '../part.ts';
import { addAnnounced } from './announced-ports.ts';
import { addBalancer } from './balancer-rows.ts';
import { type Balancer, balancersOf } from './balancers.ts';
import { serviceOf } from './indexed-slices.ts';
import { type Outside, outsideOf, sharing } from './outside.ts';
import { addReturnRoutes } from './return-routes.ts';
import { type ServedSlices, servedSlices } from './served-slices.ts';
import { addSourceRanges } from './source-ranges.ts';

/** Planner of the load balancers of services; a key stands for a service with all its EndpointSlices. */
export const services: Part = {
  kind: 'service',
  keys: ({ workload }) =>
    [...workload.services].flatMap(([key, { clusterIPs }]) => (clusterIPs.length > 0 ? [key] : [])),
  concerned: (change, { workload }) => {
    const own = keysOf(change);
    return [...own, ...sharing(placesChanged(change, own, workload), workload.services)];
  },
  *plan(key, planner) {
    const service = planner.workload.services.get(key);
    if (service === undefined) return;
    const { slices, outside, namespaceOf } = ofPlan(planner);
    const balancers = yield* balancersOf(service, slices.of(key), planner.nodes, outside);
    for (const balancer of balancers) {
      yield;
      addBalancer(planner, service, balancer);
    }
    addSourceRanges(planner, service, outside);
    for (const { node, protocol, backends } of answeredBy(balancers)) {
      const there = planner.nodes.find(({ name }) => name === node);
      if (there !== undefined) yield* addReturnRoutes(planner, key, there, protocol, backends, namespaceOf);
      yield;
    }
  },
};

/** Returns the keys of the services to which a changed object belongs. */
function keysOf({ kind, before, now }: ObjectChange): readonly NamespacedName[] {
  const found = [before, now].flatMap((one) => {
    if (one === undefined) return [];
    if (kind === 'Service') return [`${(one as Service).namespace}/${one.name}`];
    return kind === 'EndpointSlice' ? (serviceOf(one as EndpointSlice) ?? []) : [];
  });
  return [...new Set(found)];
}

/**
 * Returns the services whose change can move an address or port to another service. With `externalTrafficPolicy:
 * Local`, endpoints decide which gateway answers for an address.
 */
function placesChanged(
  { kind, before, now }: ObjectChange,
  own: readonly NamespacedName[],
  workload: WorkloadFacts['workload'],
): readonly Service[] {
  if (kind === 'Service') return [before, now].flatMap((one) => one ?? []);
  return own.flatMap((key) => {
    const service = workload.services.get(key);
    return service?.externalTrafficPolicy === 'Local' && service.externalIPs.length > 0 ? [service] : [];
  });
}

/** Decisions about all services, made once for all object keys of a plan. */
interface OfPlan {
  readonly slices: ServedSlices;
  readonly outside: Outside;
  namespaceOf(address: string): string | null;
}

const plans = new WeakMap<DesiredRows, OfPlan>();

/** Plans the rows that all services of a plan together need at the gateways; yields after each external address. */
export function* addForAllServices(facts: WorkloadFacts, desired: DesiredRows): Generator<void, void, undefined> {
  const { outside } = ofPlan({ ...facts, desired });
  const announcers = new Map<string, string>();
  for (const address of outside.externalAddresses()) {
    const announcer = outside.announcer(address);
    if (announcer !== null) announcers.set(address, announcer);
    yield;
  }
  addAnnounced(desired, facts.nodes, announcers);
}

function ofPlan(planner: WorkloadFacts & Pick<ObjectPlanner, 'desired'>): OfPlan {
  const known = plans.get(planner.desired);
  if (known !== undefined) return known;
  const slices = servedSlices(planner);
  const found = { slices, outside: outsideOf(planner, slices), namespaceOf: namespacesIn(planner) };
  plans.set(planner.desired, found);
  return found;
}

/**
 * Returns a function from the address of a pod to the pod's namespace; null if no pod has the address. The index is
 * built at the first call, because few services need it.
 */
function namespacesIn({ addresses }: WorkloadFacts): OfPlan['namespaceOf'] {
  let known: Map<string, string> | null = null;
  return (address) => {
    known ??= new Map(
      [...addresses].flatMap(([pod, own]) => own.map((one) => [withoutLength(one), pod.split('/')[0] ?? ''] as const)),
    );
    return known.get(address) ?? null;
  };
}

/**
 * Returns the backends of load balancers on the switch or router of one node, by node and protocol. Only load balancers
 * that preserve the client's address are included.
 */
function answeredBy(balancers: readonly Balancer[]): readonly {
  readonly node: string;
  readonly protocol: Balancer['protocol'];
  readonly backends: ReadonlySet<string>;
}[] {
  const found = new Map<string, { node: string; protocol: Balancer['protocol']; backends: Set<string> }>();
  for (const { place, protocol, keepsSource, vips } of balancers) {
    if (!keepsSource || !('node' in place)) continue;
    const key = `${protocol} ${place.node}`;
    const one = found.get(key) ?? { node: place.node, protocol, backends: new Set() };
    for (const to of Object.values(vips)) for (const backend of to.split(',')) one.backends.add(backend);
    found.set(key, one);
  }
  return [...found.values()];
}
