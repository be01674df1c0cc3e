import type { DatabaseRow } from '../../model/rows.ts';
import type { ServicePlace } from '../../model/shared-bridge.ts';
import { mapOf, textOf } from '../rows/row-index.ts';
import { placeOf } from './inbound-services.ts';

/**
 * Connections from any client to the address and port `at` of a UDP service that are forwarded to one server of the
 * service.
 */
export interface ServedConnections {
  /** Address and port of the service and of the server, as in a load balancer's row: `10.43.0.10:53 10.42.0.9:8053`. */
  readonly text: string;
  readonly at: ServicePlace;
  readonly server: ServicePlace;
}

/** Row of OVN_Southbound.Load_Balancer before and after an OVSDB transaction; null if the row does not exist then. */
export interface BalancerChange {
  readonly old: DatabaseRow | null;
  readonly now: DatabaseRow | null;
}

/**
 * Servers (backends) of UDP services. If several rows have the address and port of one service, the service has the
 * servers of all these rows.
 */
export interface DatagramServers {
  /**
   * Processes the changes of one OVSDB transaction. Returns the connections whose server no longer serves after the
   * transaction.
   */
  change(changes: readonly BalancerChange[]): readonly ServedConnections[];
  isServing(connections: ServedConnections): boolean;
}

/** Creates an empty set of servers. */
export function createDatagramServers(): DatagramServers {
  /** Text of a pair of a service address and a server → number of rows that contain this pair. */
  const rows = new Map<string, number>();
  const count = (text: string, by: number): void => {
    const now = (rows.get(text) ?? 0) + by;
    if (now > 0) rows.set(text, now);
    else rows.delete(text);
  };
  return {
    change: (changes) => {
      const ended = new Set<string>();
      for (const { old, now } of changes) {
        for (const text of servedBy(now)) count(text, 1);
        for (const text of servedBy(old)) {
          count(text, -1);
          ended.add(text);
        }
      }
      return [...ended].filter((text) => !rows.has(text)).flatMap(connectionsOf);
    },
    isServing: ({ text }) => rows.has(text),
  };
}

/**
 * Returns a text for each pair of a service address and one of its servers; empty if the protocol of the row is not
 * UDP, or if the row is null.
 */
function servedBy(row: DatabaseRow | null): readonly string[] {
  if (textOf(row, 'protocol') !== 'udp') return [];
  return Object.entries(mapOf(row, 'vips')).flatMap(([at, servers]) =>
    servers.split(',').flatMap((server) => (server === '' ? [] : [`${at} ${server}`])),
  );
}

function connectionsOf(text: string): readonly ServedConnections[] {
  const [at, server] = text.split(' ').map(placeOf);
  return at && server ? [{ text, at, server }] : [];
}
