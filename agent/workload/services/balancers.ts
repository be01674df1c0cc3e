import type { OverlayNode } from '../../model/overlay.ts';
import type { EndpointSlice, Protocol, Service, ServicePort } from '../../model/workload.ts';
import { inBrackets } from '../../net/address.ts';
import { isIpv6, withoutLength } from '../../overlay/addresses.ts';
import { type Backend, backendsOf, chosen } from './backends.ts';
import type { Outside } from './outside.ts';
import { permittedAt } from './source-ranges.ts';

/**
 * Switches and gateways that have a load balancer: all switches and gateways, all switches, or the switch or gateway of
 * one node. `external` and `announced` also mean the gateway of one node, but only for addresses of `externalIPs`. The
 * addresses for which this gateway answers on its LAN (`announced`) have a load balancer of their own, because
 * answering is an option of the whole row (ovn-nb(5), neighbor_responder).
 */
export type BalancerPlace =
  | { readonly at: 'everywhere' | 'switches' }
  | { readonly at: 'switch' | 'gateway' | 'external' | 'announced'; readonly node: string };

/** Load balancer of one protocol. */
export interface Balancer {
  readonly place: BalancerPlace;
  readonly protocol: Protocol;
  /** True if gateways keep the client's address as the source of packets to the backends (ovn-nb(5), skip_snat). */
  readonly keepsSource: boolean;
  /**
   * Backends of each address and port: `10.43.0.80:80` has `10.42.1.9:8080,10.42.2.9:8080`; an empty text if no backend
   * serves.
   */
  readonly vips: Readonly<Record<string, string>>;
  /** Entries of `vips` at which only clients in the service's source ranges are permitted. */
  readonly restricted: readonly string[];
}

/**
 * Returns the load balancers of a service: at most one for each group of switches and gateways (BalancerPlace) and each
 * protocol; none for a headless service. Yields after each port of each cluster IP, so that the caller can pause. With
 * a traffic policy of `Local`, the backends differ from node to node. Packets from pods to an outside address
 * nevertheless reach all backends, as with kube-proxy.
 */
export function* balancersOf(
  service: Service,
  slices: readonly EndpointSlice[],
  nodes: readonly OverlayNode[],
  outside: Outside,
): Generator<undefined, readonly Balancer[], undefined> {
  const found: Balancer[] = [];
  for (const protocol of protocolsOf(service)) {
    const places = new Map<string, { place: BalancerPlace; keepsSource: boolean; vips: Record<string, string> }>();
    const put = (place: BalancerPlace, keepsSource: boolean, vip: string, backends: readonly Backend[]): void => {
      const key = placeName(place);
      const balancer = places.get(key) ?? { place, keepsSource, vips: {} };
      balancer.vips[vip] = chosen(backends)
        .map((backend) => backend.place)
        .join(',');
      places.set(key, balancer);
    };
    for (const port of service.ports.filter((one) => one.protocol === protocol))
      for (const clusterIP of service.clusterIPs) {
        addPort(service, port, clusterIP, slices, nodes, outside, put);
        yield;
      }
    const isRestricted = restrictedVips(service, protocol);
    for (const balancer of places.values())
      found.push({
        ...balancer,
        protocol,
        restricted: Object.keys(balancer.vips).filter((vip) => isRestricted.has(vip)),
      });
  }
  return found;
}

const words = { switch: 'switch', gateway: 'router', external: 'external', announced: 'announced' } as const;

/** Returns the end of a load balancer's name, in the words of ovn-kubernetes (go-controller, services controller). */
export function placeName(place: BalancerPlace): string {
  if ('node' in place) return `node_${words[place.at]}_${place.node}`;
  return place.at === 'everywhere' ? 'cluster' : 'node_switch';
}

function addPort(
  service: Service,
  port: ServicePort,
  clusterIP: string,
  slices: readonly EndpointSlice[],
  nodes: readonly OverlayNode[],
  outside: Outside,
  put: (place: BalancerPlace, keepsSource: boolean, vip: string, backends: readonly Backend[]) => void,
): void {
  const isSix = isIpv6(clusterIP);
  const backends = backendsOf(service, slices, port, isSix ? 'IPv6' : 'IPv4');
  const byNode = new Map<string | null, Backend[]>();
  for (const backend of backends) {
    const others = byNode.get(backend.nodeName);
    if (others === undefined) byNode.set(backend.nodeName, [backend]);
    else others.push(backend);
  }
  const on = (node: string): readonly Backend[] => byNode.get(node) ?? [];
  const ofFamily = (addresses: readonly string[]): readonly string[] =>
    addresses.filter((address) => isIpv6(address) === isSix);
  const nodePortsAt = (node: OverlayNode, addresses: readonly string[]): readonly string[] =>
    ofFamily(addresses).flatMap((address) =>
      outside.isServedAtNode(node, address, port) ? [vipOf(address, port.nodePort ?? 0)] : [],
    );

  const inside = vipOf(clusterIP, port.port);
  if (service.internalTrafficPolicy === 'Cluster') put({ at: 'everywhere' }, false, inside, backends);
  else
    for (const { name, subnets } of nodes)
      if (subnets.length > 0) put({ at: 'switch', node: name }, false, inside, on(name));

  const isLocal = service.externalTrafficPolicy === 'Local';
  const served = outside.servedAt(service, port).filter(({ address }) => isIpv6(address) === isSix);
  const vipsOf = (isExternal: boolean): readonly string[] =>
    served.flatMap((given) => (given.isExternal === isExternal ? [vipOf(given.address, port.port)] : []));
  const [external, balanced] = [vipsOf(true), vipsOf(false)];
  const atNodes = nodes.flatMap((node) => nodePortsAt(node, addressesOf(node)));
  // A load balancer with source ranges is in the row of each gateway's router, and not in the group of all gateways. A
  // new gateway would get the group's load balancers before the ACLs that drop packets of other clients.
  const isOfGateways = isLocal || service.sourceRanges !== undefined;
  for (const vip of balanced) put({ at: isOfGateways ? 'switches' : 'everywhere' }, false, vip, backends);
  for (const vip of atNodes) put({ at: isLocal ? 'switches' : 'everywhere' }, false, vip, backends);
  for (const vip of external) put({ at: 'switches' }, false, vip, backends);
  for (const node of nodes.filter(({ gateway }) => gateway !== null && gateway.isVip !== true)) {
    const { name, gateway } = node;
    const reached = isLocal ? on(name) : backends;
    for (const { address } of served.filter(({ isExternal }) => isExternal)) {
      const at = outside.announcer(address) === name ? 'announced' : 'external';
      put({ at, node: name }, isLocal, vipOf(address, port.port), reached);
    }
    if (isOfGateways) for (const vip of balanced) put({ at: 'gateway', node: name }, isLocal, vip, reached);
    if (!isLocal) continue;
    for (const vip of nodePortsAt(node, (gateway?.addresses ?? []).map(withoutLength)))
      put({ at: 'gateway', node: name }, true, vip, reached);
  }
}

/**
 * Returns the addresses of a node and of its gateway, which may have an address of its own. Addresses that several
 * gateways share are left out, because no gateway router has them.
 */
export function addressesOf({ hostAddresses, gateway }: OverlayNode): readonly string[] {
  const outside = gateway === null || gateway.isVip === true ? [] : gateway.addresses.map(withoutLength);
  return [...new Set([...outside, ...hostAddresses])];
}

function vipOf(address: string, port: number): string {
  return `${inBrackets(address)}:${port}`;
}

function protocolsOf({ ports }: Service): readonly Protocol[] {
  return [...new Set(ports.map(({ protocol }) => protocol))].toSorted();
}

function restrictedVips(service: Service, protocol: Protocol): ReadonlySet<string> {
  const addresses = service.loadBalancerIPs.filter((address) => permittedAt(service, address) !== null);
  const ports = service.ports.filter((port) => port.protocol === protocol);
  return new Set(addresses.flatMap((address) => ports.map(({ port }) => vipOf(address, port))));
}
