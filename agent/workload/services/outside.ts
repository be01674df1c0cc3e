import type { OverlayNode } from '../../model/overlay.ts';
import type { EndpointSlice, ObjectKey, Service, ServicePort } from '../../model/workload.ts';
import { nodeAddresses } from '../../overlay/node-ports.ts';
import type { WorkloadFacts } from '../part.ts';
import { announcerOf } from './announcer.ts';
import { type Given, givenFault, nodePortFault, portFaultAt } from './given-addresses.ts';

/** Places of services outside of the cluster, decided for all services together: two cannot have the same place. */
export interface Outside {
  /** The given addresses at which a port of a service is served. */
  servedAt(service: Service, port: ServicePort): readonly Given[];
  /** Whether a NodePort of a service is served at an address of a node. */
  isServedAtNode(node: OverlayNode, address: string, port: ServicePort): boolean;
  /** Why places that a service asks for are not served, as whole sentences. */
  faults(service: Service): readonly string[];
  /** The gateway that answers on its LAN for an address; null: none does. */
  announcer(address: string): string | null;
}

export type OutsideFacts = Pick<WorkloadFacts, 'layout' | 'nodes' | 'exposure' | 'workload'>;

/** Decides for all services at once. Of two that ask for one place, a NodePort has it, and else the one that was created first. */
export function outsideOf(facts: OutsideFacts, slices: ReadonlyMap<ObjectKey, readonly EndpointSlice[]>): Outside {
  const { nodes, exposure, workload } = facts;
  const byAddress = new Map(nodes.flatMap((node) => nodeAddresses(node).map((address) => [address, node] as const)));
  const asking = [...workload.services].filter(([, service]) => givenAddresses(service).length > 0).toSorted(byAge);
  const nodePorts = new Map(asking.length === 0 ? [] : [...workload.services].flatMap(nodePortsOf));
  const holders = new Map<string, ObjectKey>();
  const faultAt = (service: Service, given: Given, { protocol, port }: ServicePort): string | null => {
    const node = byAddress.get(given.address) ?? null;
    const fault = givenFault(given, node, facts);
    if (fault !== null || node === null) return fault;
    const holder = nodePorts.get(`${protocol} ${port}`);
    const isTaken = holder !== undefined && holder !== keyOf(service);
    return (
      portFaultAt(node, given.address, protocol, port, exposure) ??
      (isTaken ? `${port} is a NodePort of service ${holder}; take another port` : null)
    );
  };
  for (const [key, service] of asking)
    for (const port of service.ports)
      for (const given of givenAddresses(service)) {
        const place = placeText(given.address, port);
        if (!holders.has(place) && faultAt(service, given, port) === null) holders.set(place, key);
      }
  const isHolder = (service: Service, address: string, port: ServicePort): boolean =>
    holders.get(placeText(address, port)) === keyOf(service);
  const announcers = new Map<string, string | null>();
  return {
    servedAt: (service, port) => givenAddresses(service).filter(({ address }) => isHolder(service, address, port)),
    isServedAtNode: (node, address, { protocol, nodePort }) =>
      nodePort !== null && portFaultAt(node, address, protocol, nodePort, exposure) === null,
    faults: (service) => [
      ...givenFaults(service, (given, port) => {
        if (isHolder(service, given.address, port)) return null;
        const fault = faultAt(service, given, port);
        return fault ?? `service ${holders.get(placeText(given.address, port))} has it; take another address or port`;
      }),
      ...service.ports.flatMap((port) => nodePortFault(port, nodes, exposure) ?? []),
    ],
    announcer: (address) => {
      const before = announcers.get(address);
      if (before !== undefined) return before;
      const holding = asking.filter(([, service]) => service.ports.some((port) => isHolder(service, address, port)));
      const isExternal = holding.some(([, { externalIPs }]) => externalIPs.includes(address));
      const found = isExternal ? announcerOf(address, holding, slices, nodes) : null;
      announcers.set(address, found);
      return found;
    },
  };
}

/** The services, this one apart, that may be served differently when it changes: they ask for an address or a port that it asks for. */
export function sharing(changed: readonly Service[], services: ReadonlyMap<ObjectKey, Service>): readonly ObjectKey[] {
  const addresses = new Set(changed.flatMap((service) => givenAddresses(service).map(({ address }) => address)));
  const nodePorts = new Set(changed.flatMap(({ ports }) => ports.flatMap(({ nodePort }) => nodePort ?? [])));
  if (addresses.size + nodePorts.size === 0) return [];
  const own = changed.map(keyOf);
  return [...services].flatMap(([key, service]) => {
    const given = givenAddresses(service);
    if (given.length === 0 || own.includes(key)) return [];
    const shares =
      given.some(({ address }) => addresses.has(address)) || service.ports.some(({ port }) => nodePorts.has(port));
    return shares ? [key] : [];
  });
}

/** The addresses outside of the cluster that a service was given, as far as it has a cluster IP of their family. */
function givenAddresses(service: Service): readonly Given[] {
  if (service.clusterIPs.length === 0) return [];
  const isSix = (address: string): boolean => address.includes(':');
  const families = new Set(service.clusterIPs.map(isSix));
  const external = service.externalIPs.map((address): Given => ({ address, isExternal: true }));
  const balanced = service.loadBalancerIPs
    .filter((address) => !service.externalIPs.includes(address) && isForEverybody(service))
    .map((address): Given => ({ address, isExternal: false }));
  return [...external, ...balanced].filter(({ address }) => families.has(isSix(address)));
}

/** False where spec.loadBalancerSourceRanges lets in some only, which cannot be enforced here. */
export function isForEverybody({ sourceRanges = [] }: Service): boolean {
  return sourceRanges.every((range) => /\/0$/.test(range));
}

/** Places with the same fault are one sentence. */
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

/** So many are named; the rest is counted. An Event has a kilobyte. */
const mostNamed = 5;

function named(list: readonly string[]): string {
  const more = list.length - mostNamed;
  return `${list.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function nodePortsOf([key, { ports, clusterIPs }]: readonly [ObjectKey, Service]): readonly [string, ObjectKey][] {
  if (clusterIPs.length === 0) return [];
  return ports.flatMap(({ protocol, nodePort }): [string, ObjectKey][] =>
    nodePort === null ? [] : [[`${protocol} ${nodePort}`, key]],
  );
}

function byAge([a, one]: readonly [ObjectKey, Service], [b, other]: readonly [ObjectKey, Service]): number {
  const [first, second] = [`${one.createdAt ?? ''} ${a}`, `${other.createdAt ?? ''} ${b}`];
  return first < second ? -1 : 1;
}

function placeText(address: string, { protocol, port }: ServicePort): string {
  return `${protocol} ${address} ${port}`;
}

function keyOf({ namespace, name }: Service): ObjectKey {
  return `${namespace}/${name}`;
}
