import type { DatabaseRow } from '../../model/rows.ts';
import type { ServicePlace } from '../../model/shared-bridge.ts';
import { mapOf, textOf } from '../rows/row-index.ts';
import { placeOf } from './inbound-services.ts';

/** Servers (backends) of each address and port of a UDP service: `10.43.0.10:53` has `10.42.0.9:8053`, for example. */
export type DatagramServices = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Connections from any client to the address and port `at` of a service that are forwarded to one server of the
 * service.
 */
export interface ServedConnections {
  readonly at: ServicePlace;
  readonly server: ServicePlace;
}

/**
 * Reads the services from rows of OVN_Southbound.Load_Balancer. An address and port in several rows has the servers of
 * all of these rows.
 */
export function datagramServices(balancers: readonly DatabaseRow[]): DatagramServices {
  const found = new Map<string, Set<string>>();
  for (const row of balancers) {
    if (textOf(row, 'protocol') !== 'udp') continue;
    for (const [at, servers] of Object.entries(mapOf(row, 'vips'))) {
      const known = found.get(at) ?? new Set();
      for (const server of servers.split(',')) if (server !== '') known.add(server);
      found.set(at, known);
    }
  }
  return found;
}

/** Returns the connections whose server has stopped serving the address and port. */
export function lostConnections(before: DatagramServices, now: DatagramServices): readonly ServedConnections[] {
  return [...before].flatMap(([key, servers]) => {
    const at = placeOf(key);
    const left = now.get(key);
    if (at === null) return [];
    return [...servers].flatMap((text) => {
      const server = left?.has(text) === true ? null : placeOf(text);
      return server === null ? [] : [{ at, server }];
    });
  });
}
