import type { Service } from '../../model/workload.ts';
import { givenAddresses, type IndexedServices, placeText } from './indexed-services.ts';
import type { Outside } from './outside.ts';

/**
 * Returns the services that lose an address and port because `service` requests them now, with the sentences that
 * report this. A NodePort and an older service take precedence, so a service can lose its address and port without a
 * change of its own. `before` is the earlier state of `service`; undefined if `service` is new. Leaves out addresses
 * and ports that `service` requested earlier, because their loss has been reported.
 */
export function displacedBy(
  service: Service,
  before: Service | undefined,
  all: IndexedServices,
  outside: Pick<Outside, 'servedAt' | 'faultsBecauseOf'>,
): ReadonlyMap<Service, readonly string[]> {
  const known = before === undefined ? new Set<string>() : requestsOf(before);
  const others = new Set<Service>();
  for (const port of service.ports) {
    for (const { address } of outside.servedAt(service, port)) {
      const place = placeText(address, port);
      if (!known.has(place)) for (const claim of all.claimsOf(place).values()) others.add(claim.service);
    }
    const { protocol, nodePort } = port;
    if (nodePort === null || known.has(nodePortText(protocol, nodePort))) continue;
    for (const other of all.givenAtPort({ protocol, port: nodePort }).values()) others.add(other);
  }
  others.delete(service);
  const taker = `${service.namespace}/${service.name}`;
  const found = new Map<Service, readonly string[]>();
  for (const other of others) {
    const faults = outside.faultsBecauseOf(other, taker);
    if (faults.length > 0) found.set(other, faults);
  }
  return found;
}

function requestsOf(service: Service): Set<string> {
  const requests = new Set<string>();
  for (const port of service.ports) {
    for (const { address } of givenAddresses(service)) requests.add(placeText(address, port));
    if (port.nodePort !== null) requests.add(nodePortText(port.protocol, port.nodePort));
  }
  return requests;
}

function nodePortText(protocol: string, nodePort: number): string {
  return `NodePort ${protocol} ${nodePort}`;
}
