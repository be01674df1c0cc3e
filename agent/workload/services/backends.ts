import type { EndpointSlice, Service, ServicePort } from '../../model/workload.ts';
import { inBrackets } from '../../net/address.ts';

/** Who serves a port of a service. */
export interface Backend {
  /** `10.42.1.9:8080`, `[fd01::9]:8080`. */
  readonly place: string;
  readonly nodeName: string | null;
  readonly isReady: boolean;
  /** It ends, and serves until then. */
  readonly isEnding: boolean;
}

/**
 * Everybody who serves a port in one family, once each, whatever the number and order of slices, in order. A port of a slice is that of the service by name
 * and protocol. Of several addresses of an endpoint the first is taken, since all of them are the same one (discovery.k8s.io/v1).
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
      // Who moves from one slice to another is in both for a while, and may be ready in one of them only.
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

/** Those that are ready; where none is, those that still serve while they end (KEP-1669). */
export function chosen(backends: readonly Backend[]): readonly Backend[] {
  const ready = backends.filter(({ isReady }) => isReady);
  return ready.length > 0 ? ready : backends.filter(({ isEnding }) => isEnding);
}
