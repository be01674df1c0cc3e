import type { EndpointSlice, Service, ServicePort } from '../../model/workload.ts';
import { inBrackets } from '../../net/address.ts';

/** Endpoint that serves a port of a service. */
export interface Backend {
  /** Address and port of the endpoint: `10.42.1.9:8080`, `[fd01::9]:8080`. */
  readonly place: string;
  readonly nodeName: string | null;
  readonly isReady: boolean;
  /** True if the endpoint is terminating and still serves. */
  readonly isEnding: boolean;
}

/**
 * Returns the backends of a service's port in one family, sorted and each once, independent of the number and order of
 * EndpointSlices. A port of an EndpointSlice belongs to the service's port of the same name and protocol. The first
 * address of an endpoint is used, because all of them are equivalent (discovery.k8s.io/v1).
 */
export function backendsOf(
  { publishNotReadyAddresses }: Pick<Service, 'publishNotReadyAddresses'>,
  slices: readonly EndpointSlice[],
  { name, protocol }: Pick<ServicePort, 'name' | 'protocol'>,
  family: EndpointSlice['addressType'],
): readonly Backend[] {
  const found = new Map<string, Backend>();
  for (const { addressType, ports, endpoints } of slices) {
    const port = ports.find((one) => one.name === name && one.protocol === protocol)?.port;
    if (addressType !== family || port === undefined) continue;
    for (const { addresses, nodeName, ready, serving, terminating } of endpoints) {
      if (addresses[0] === undefined) continue;
      const place = `${inBrackets(addresses[0])}:${port}`;
      // An endpoint that moves from one EndpointSlice to another is in both for a while, and may be ready in only one
      // of them.
      const other = found.get(place);
      found.set(place, {
        place,
        nodeName: nodeName ?? other?.nodeName ?? null,
        isReady: ready || publishNotReadyAddresses || other?.isReady === true,
        isEnding: (serving && terminating) || other?.isEnding === true,
      });
    }
  }
  return [...found.values()].toSorted((a, b) => (a.place < b.place ? -1 : 1));
}

/** Returns the ready backends; if no backend is ready, the backends that are terminating and still serve (KEP-1669). */
export function chosen(backends: readonly Backend[]): readonly Backend[] {
  const ready = backends.filter(({ isReady }) => isReady);
  return ready.length > 0 ? ready : backends.filter(({ isEnding }) => isEnding);
}
