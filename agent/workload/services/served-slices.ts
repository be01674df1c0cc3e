import type { OverlayNode } from '../../model/overlay.ts';
import type { EndpointSlice, NamespacedName, Service, Workload } from '../../model/workload.ts';
import { nodeAddresses } from '../../overlay/node-ports.ts';
import { mostEndpointsOfRows } from '../budget.ts';
import { indexedSlices, sizeOf } from './indexed-slices.ts';

/** EndpointSlices of services, within the budget of each service. */
export interface ServedSlices {
  /**
   * Returns the served EndpointSlices of a service. If their endpoints exceed the budget, only the first EndpointSlices
   * by name are served, the last of them without the endpoints that exceed the budget.
   */
  of(service: NamespacedName): readonly EndpointSlice[];
  /** Returns the reason why endpoints of a service are not served, as a whole sentence; null if all are served. */
  fault(service: NamespacedName): string | null;
}

/** Returns the served EndpointSlices of services. Each service is evaluated once, at the first request for it. */
export function servedSlices({
  nodes,
  workload,
}: {
  readonly nodes: readonly OverlayNode[];
  readonly workload: Pick<Workload, 'services' | 'slices'>;
}): ServedSlices {
  const indexed = indexedSlices(workload.slices);
  const known = new Map<NamespacedName, readonly EndpointSlice[]>();
  const limitOf = (key: NamespacedName): number => {
    const service = workload.services.get(key);
    return service === undefined ? 0 : mostEndpoints(service, nodes);
  };
  return {
    of: (key) => {
      const before = known.get(key);
      if (before !== undefined) return before;
      const group = indexed.ofService(key);
      const limit = limitOf(key);
      const all = group === null ? [] : [...group.slices.values()];
      const served = group === null || group.size <= limit ? all : firstOf(all, limit);
      known.set(key, served);
      return served;
    },
    fault: (key) => {
      const [size, limit] = [indexed.ofService(key)?.size ?? 0, limitOf(key)];
      if (size <= limit) return null;
      return `only ${limit} of ${size} endpoints are served, because each is written for each address and port of the service: divide it into several services, or take ports away`;
    },
  };
}

/**
 * Returns the largest number of endpoints of a service that are served. A place of a service is an address and port at
 * which it is reached. The size of the service's rows grows with the number of its places times the number of its
 * endpoints.
 */
function mostEndpoints(service: Service, nodes: readonly OverlayNode[]): number {
  const { clusterIPs, externalIPs, loadBalancerIPs, ports, externalTrafficPolicy } = service;
  const gateways = nodes.filter(({ gateway }) => gateway !== null).length;
  const given = (externalIPs.length + loadBalancerIPs.length) * (1 + gateways);
  const ofNodes = nodes.reduce((sum, node) => sum + nodeAddresses(node).length, 0);
  const nodePorts = ports.filter(({ nodePort }) => nodePort !== null).length;
  const rows = externalTrafficPolicy === 'Local' ? 2 : 1;
  const places = ports.length * (clusterIPs.length + given) + nodePorts * ofNodes * rows;
  return Math.max(1, Math.floor(mostEndpointsOfRows / Math.max(1, places)));
}

/**
 * Returns the first EndpointSlices by name, up to a number of endpoints. The result does not depend on the order in
 * which they arrived.
 */
function firstOf(slices: readonly EndpointSlice[], limit: number): readonly EndpointSlice[] {
  const found: EndpointSlice[] = [];
  let left = limit;
  for (const slice of slices.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (left <= 0) break;
    found.push(slice.endpoints.length <= left ? slice : { ...slice, endpoints: slice.endpoints.slice(0, left) });
    left -= sizeOf(slice);
  }
  return found;
}
