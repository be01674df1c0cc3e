import type { Listener, PortRange } from '../../model/overlay.ts';
import type { InboundService, ServicePlace } from '../../model/shared-bridge.ts';
import { isWithin } from '../addresses.ts';
import { isForServices, isListening, unservableRanges } from '../node-ports.ts';

/** Facts by which a node decides at which addresses and ports services may be served on it. */
export interface OwnPlaces {
  /** Every address of the node's interfaces. */
  readonly addresses: readonly string[];
  readonly listeners: readonly Listener[];
  /** Ports at which services may be served at the node's addresses. */
  readonly ports: readonly PortRange[];
  /** Addresses and ports at which the node's daemons reach the API server, on this or another host. */
  readonly apiServers: readonly ServicePlace[];
}

/**
 * Returns the inbound services that the node accepts. Leaves out services at the address and port of an API server, and
 * in ranges with a special meaning on every host. At the node's own addresses, also leaves out services at ports that
 * are not for services, or at which a process of the node listens. The decision about a service depends on facts of the
 * node alone, and not on the program that wrote the service to the database, or on the time of that write.
 */
export function servedBeside(services: readonly InboundService[], own: OwnPlaces): readonly InboundService[] {
  return services.filter((service) => !takes(service, own));
}

function takes({ protocol, address, port }: InboundService, own: OwnPlaces): boolean {
  if (own.apiServers.some((one) => one.address === address && one.port === port)) return true;
  if (unservableRanges.some((range) => isWithin(address, range))) return true;
  if (!own.addresses.includes(address)) return false;
  return !isForServices(own.ports, protocol, port) || isListening(own.listeners, { protocol, address, port });
}
