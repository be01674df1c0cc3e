import type { OverlayNode } from '../../model/overlay.ts';
import type { NamespacedName, Service, ServicePort } from '../../model/workload.ts';
import { nodeAddresses } from '../../overlay/node-ports.ts';
import type { WorkloadFacts } from '../part.ts';
import { announcerOf } from './announcer.ts';
import { type Given, type GivenFault, givenFaultsOf, nodePortFault, portFaultAt } from './given-addresses.ts';
import { givenAddresses, indexedServices, placeText } from './indexed-services.ts';
import { type ServedSlices, servedSlices } from './served-slices.ts';

/**
 * Decisions about the addresses and ports outside of the cluster at which services are served. They are made for all
 * services together, because two services cannot have the same address and port.
 */
export interface Outside {
  /** Returns the requested addresses at which a port of a service is served. */
  servedAt(service: Service, port: ServicePort): readonly Given[];
  /** Returns true if a NodePort of a service is served at an address of a node. */
  isServedAtNode(node: OverlayNode, address: string, port: ServicePort): boolean;
  /** Returns the reasons why requested addresses and ports of a service are not served, as whole sentences. */
  faults(service: Service): readonly string[];
  /**
   * Returns whole sentences about the addresses and ports that `service` does not get because the service `taker` has
   * them.
   */
  faultsBecauseOf(service: Service, taker: NamespacedName): readonly string[];
  /** Returns the gateway that answers for an address on its LAN; null if no gateway does. */
  announcer(address: string): string | null;
  /** Returns the addresses in spec.externalIPs of all services. */
  externalAddresses(): Iterable<string>;
}

export type OutsideFacts = Pick<WorkloadFacts, 'layout' | 'nodes' | 'exposure' | 'peers' | 'workload'>;

/**
 * Decides each request for an address and port once. If two services request the same address and port, a NodePort
 * takes precedence, and then the service that was created first. The cost depends only on the requests of the services
 * in question, and of services with the same requests.
 */
export function outsideOf(facts: OutsideFacts, slices: ServedSlices = servedSlices(facts)): Outside {
  const { nodes, exposure, workload } = facts;
  const services = indexedServices(workload.services);
  const owners = addressOwners(nodes);
  let faultOf: GivenFault | null = null;
  const givenFault: GivenFault = (given, node) => {
    // The permitted and refused ranges are parsed when the first address is checked, because most services request no
    // address.
    faultOf ??= givenFaultsOf(facts);
    return faultOf(given, node);
  };
  const faultAt = (service: Service, given: Given, port: ServicePort): string | null => {
    const holders = owners.get(given.address);
    if (holders === undefined) return givenFault(given, null);
    return firstOf(holders, (node) => faultBeside(service, given, port, node));
  };
  const faultBeside = (
    service: Service,
    given: Given,
    { protocol, port }: ServicePort,
    node: OverlayNode,
  ): string | null => {
    const fault = givenFault(given, node);
    if (fault !== null) return fault;
    const holder = services.holderOfNodePort({ protocol, port });
    const isTaken = holder !== null && holder !== keyOf(service);
    return (
      portFaultAt(node, given.address, protocol, port, exposure) ??
      (isTaken ? `${port} is a NodePort of service ${holder}; take another port` : null)
    );
  };
  const holders = new Map<string, NamespacedName | null>();
  const holderOf = (place: string): NamespacedName | null => {
    const known = holders.get(place);
    if (known !== undefined) return known;
    let [holder, oldest]: [NamespacedName | null, string] = [null, ''];
    for (const [key, { service, given, port }] of services.claimsOf(place)) {
      const age = ageOf(key, service);
      if ((holder === null || age < oldest) && faultAt(service, given, port) === null) [holder, oldest] = [key, age];
    }
    holders.set(place, holder);
    return holder;
  };
  const isHolder = (service: Service, address: string, port: ServicePort): boolean =>
    holderOf(placeText(address, port)) === keyOf(service);
  const reasonOf = (service: Service, given: Given, port: ServicePort): string | null => {
    if (isHolder(service, given.address, port)) return null;
    const fault = faultAt(service, given, port);
    return fault ?? `service ${holderOf(placeText(given.address, port))} has it; take another address or port`;
  };
  /**
   * Returns the service that gets an address and port which `service` requests, possibly `service` itself; null if no
   * service gets them.
   */
  const takerOf = (service: Service, { address }: Given, port: ServicePort): NamespacedName | null => {
    const ofNodePort = owners.has(address) ? services.holderOfNodePort(port) : null;
    return ofNodePort === null || ofNodePort === keyOf(service) ? holderOf(placeText(address, port)) : ofNodePort;
  };
  const announcers = new Map<string, string | null>();
  const announcer = (address: string): string | null => {
    const before = announcers.get(address);
    if (before !== undefined) return before;
    const holding = [...services.withAddress(address)]
      .filter(([, service]) => service.ports.some((port) => isHolder(service, address, port)))
      .toSorted(([a, one], [b, other]) => (ageOf(a, one) < ageOf(b, other) ? -1 : 1));
    const isExternal = holding.some(([, { externalIPs }]) => externalIPs.includes(address));
    const found = isExternal ? announcerOf(address, holding, slices, nodes) : null;
    announcers.set(address, found);
    return found;
  };
  return {
    servedAt: (service, port) => givenAddresses(service).filter(({ address }) => isHolder(service, address, port)),
    isServedAtNode: (node, address, { protocol, nodePort }) =>
      nodePort !== null && portFaultAt(node, address, protocol, nodePort, exposure) === null,
    faults: (service) => [
      ...givenFaults(service, (given, port) => reasonOf(service, given, port)),
      ...service.ports.flatMap((port) => nodePortFault(port, nodes, exposure) ?? []),
    ],
    faultsBecauseOf: (service, taker) =>
      givenFaults(service, (given, port) =>
        takerOf(service, given, port) === taker ? reasonOf(service, given, port) : null,
      ),
    announcer,
    externalAddresses: () => services.externalAddresses(),
  };
}

/**
 * Returns the nodes that have an address. A member announces further addresses without a proof, so such an address does
 * not count if the record of another node contains it. Several nodes may announce the same further address, because an
 * address can move and a member can announce a wrong one.
 */
function addressOwners(nodes: readonly OverlayNode[]): ReadonlyMap<string, readonly OverlayNode[]> {
  const owners = new Map<string, readonly OverlayNode[]>();
  for (const node of nodes)
    for (const address of node.furtherAddresses ?? []) owners.set(address, [...(owners.get(address) ?? []), node]);
  for (const node of nodes) for (const address of nodeAddresses(node)) owners.set(address, [node]);
  return owners;
}

function firstOf<T>(list: readonly T[], faultOf: (one: T) => string | null): string | null {
  for (const one of list) {
    const fault = faultOf(one);
    if (fault !== null) return fault;
  }
  return null;
}

/**
 * Returns the services that a change of other services may affect: those that request an address and port of a changed
 * service, or share an outside address with it.
 */
export function sharing(
  changed: readonly Service[],
  all: ReadonlyMap<NamespacedName, Service>,
): ReadonlySet<NamespacedName> {
  const services = indexedServices(all);
  const found = new Set<NamespacedName>();
  const add = (keys: Iterable<NamespacedName>): void => {
    for (const key of keys) found.add(key);
  };
  for (const service of changed) {
    for (const { address, isExternal } of givenAddresses(service)) {
      if (isExternal || services.isExternal(address)) add(services.withAddress(address).keys());
      else for (const port of service.ports) add(services.claimsOf(placeText(address, port)).keys());
    }
    for (const { protocol, nodePort } of service.ports)
      if (nodePort !== null) add(services.givenAtPort({ protocol, port: nodePort }).keys());
  }
  for (const service of changed) found.delete(keyOf(service));
  return found;
}

/** Returns one sentence for each reason of `faultOf`, with all addresses and ports of the service that it concerns. */
function givenFaults(service: Service, faultOf: (given: Given, port: ServicePort) => string | null): readonly string[] {
  const places = new Map<string, Set<string>>();
  for (const given of givenAddresses(service))
    for (const port of service.ports) {
      const fault = faultOf(given, port);
      if (fault === null) continue;
      const known = places.get(fault) ?? new Set();
      places.set(fault, known.add(`${given.address} port ${port.port}`));
    }
  return [...places].map(([fault, found]) => `${named([...found])} is not served: ${fault}`);
}

/**
 * Largest number of addresses and ports that a sentence names; the others are counted, because the note of an Event has
 * at most one kilobyte.
 */
const mostNamed = 5;

function named(list: readonly string[]): string {
  const more = list.length - mostNamed;
  return `${list.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns a text by which services are ordered: by creation time, and by name if the time is the same. */
function ageOf(key: NamespacedName, { createdAt = '' }: Service): string {
  return `${createdAt} ${key}`;
}

function keyOf({ namespace, name }: Service): NamespacedName {
  return `${namespace}/${name}`;
}
