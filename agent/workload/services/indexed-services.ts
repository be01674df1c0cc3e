import type { NamespacedName, Service, ServicePort } from '../../model/workload.ts';
import type { Given } from './given-addresses.ts';

/** Request of a service for an address and port outside of the cluster. */
export interface Claim {
  readonly service: Service;
  readonly given: Given;
  readonly port: ServicePort;
}

/**
 * Services, indexed by the addresses and ports outside of the cluster that they request. The cost of a change depends
 * on the size of the changed service alone, and not on the number of services.
 */
export class IndexedServices extends Map<NamespacedName, Service> {
  readonly #claims = new Map<string, Map<NamespacedName, Claim>>();
  readonly #external = new Map<string, Map<NamespacedName, Service>>();
  readonly #given = new Map<string, Map<NamespacedName, Service>>();
  readonly #nodePorts = new Map<string, Map<NamespacedName, Service>>();
  readonly #givenPorts = new Map<string, Map<NamespacedName, Service>>();

  /**
   * Returns the requests of services for one address, protocol and port outside of the cluster, by service. `place`
   * names the three as `TCP 192.0.2.1 80`.
   */
  claimsOf(place: string): ReadonlyMap<NamespacedName, Claim> {
    return this.#claims.get(place) ?? none;
  }

  /** Returns the services that were given an address, in spec.externalIPs or status.loadBalancer. */
  withAddress(address: string): ReadonlyMap<NamespacedName, Service> {
    return this.#given.get(address) ?? none;
  }

  /** Returns true if spec.externalIPs of a service has the address. */
  isExternal(address: string): boolean {
    return this.#external.has(address);
  }

  /** Returns the addresses in spec.externalIPs of services. */
  externalAddresses(): Iterable<string> {
    return this.#external.keys();
  }

  /** Returns the service that has a NodePort; null if no service has it. */
  holderOfNodePort({ protocol, port }: Pick<ServicePort, 'protocol' | 'port'>): NamespacedName | null {
    const [key = null] = this.#nodePorts.get(`${protocol} ${port}`)?.keys() ?? [];
    return key;
  }

  /** Returns the services that were given an address and have a port of this protocol and number. */
  givenAtPort({ protocol, port }: Pick<ServicePort, 'protocol' | 'port'>): ReadonlyMap<NamespacedName, Service> {
    return this.#givenPorts.get(`${protocol} ${port}`) ?? none;
  }

  override set(key: NamespacedName, service: Service): this {
    this.delete(key);
    this.#each(service, (index, name, entry) => {
      const entries = index.get(name) ?? new Map();
      if (!entries.has(key)) entries.set(key, entry);
      index.set(name, entries);
    });
    return super.set(key, service);
  }

  override delete(key: NamespacedName): boolean {
    const before = this.get(key);
    if (before !== undefined)
      this.#each(before, (index, name) => {
        const entries = index.get(name);
        entries?.delete(key);
        if (entries?.size === 0) index.delete(name);
      });
    return super.delete(key);
  }

  #each(
    service: Service,
    act: (index: Map<string, Map<NamespacedName, unknown>>, name: string, entry: unknown) => void,
  ): void {
    const given = givenAddresses(service);
    for (const { address, isExternal } of given) {
      act(this.#given, address, service);
      if (isExternal) act(this.#external, address, service);
    }
    if (service.clusterIPs.length === 0) return;
    for (const port of service.ports) {
      const { protocol, nodePort } = port;
      if (nodePort !== null) act(this.#nodePorts, `${protocol} ${nodePort}`, service);
      if (given.length > 0) act(this.#givenPorts, `${protocol} ${port.port}`, service);
      for (const one of given) act(this.#claims, placeText(one.address, port), { service, given: one, port });
    }
  }
}

const none: ReadonlyMap<NamespacedName, never> = new Map<NamespacedName, never>();

/** Returns the same services with an index: the argument itself if it has one. */
export function indexedServices(services: ReadonlyMap<NamespacedName, Service>): IndexedServices {
  if (services instanceof IndexedServices) return services;
  const indexed = new IndexedServices();
  for (const [key, service] of services) indexed.set(key, service);
  return indexed;
}

export function placeText(address: string, { protocol, port }: ServicePort): string {
  return `${protocol} ${address} ${port}`;
}

/**
 * Returns the outside addresses of a service. Addresses of a family in which the service has no cluster IP are left
 * out.
 */
export function givenAddresses(service: Service): readonly Given[] {
  if (service.clusterIPs.length === 0 || service.externalIPs.length + service.loadBalancerIPs.length === 0) return [];
  const isSix = (address: string): boolean => address.includes(':');
  const families = new Set(service.clusterIPs.map(isSix));
  const external = service.externalIPs.map((address): Given => ({ address, isExternal: true }));
  const balanced = service.loadBalancerIPs
    .filter((address) => !service.externalIPs.includes(address))
    .map((address): Given => ({ address, isExternal: false }));
  return [...external, ...balanced].filter(({ address }) => families.has(isSix(address)));
}
