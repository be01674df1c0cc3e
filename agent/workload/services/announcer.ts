import type { OverlayNode } from '../../model/overlay.ts';
import type { EndpointSlice, NamespacedName, Service } from '../../model/workload.ts';
import { isIpv6, isWithin } from '../../overlay/addresses.ts';
import { backendsOf, chosen } from './backends.ts';
import type { ServedSlices } from './served-slices.ts';

/**
 * Returns the gateway that answers ARP or neighbour discovery for an outside address of services; null if no gateway
 * meets the conditions. Only one gateway answers, because hosts of the LAN would otherwise send to the gateway that
 * answered last. The answering gateway is up, shares its addresses with no other gateway, and has the outside address
 * on its LAN. Of several such gateways, the one with the lowest node number answers. With `externalTrafficPolicy:
 * Local`, its node also has a serving endpoint; if no node has one, no gateway answers, unless a service with the
 * policy `Cluster` shares the address. If several services with the policy `Local` share the address and no gateway
 * serves all of them, the oldest services decide.
 */
export function announcerOf(
  address: string,
  services: readonly (readonly [NamespacedName, Service])[],
  slices: ServedSlices,
  nodes: readonly OverlayNode[],
): string | null {
  let candidates = nodes
    .filter(
      ({ gateway }) =>
        gateway?.isUp === true &&
        gateway.isVip !== true &&
        gateway.addresses.some((own) => isIpv6(own) === isIpv6(address) && isWithin(address, own)),
    )
    .toSorted((a, b) => a.id - b.id)
    .map(({ name }) => name);
  let isServed = services.some(([, { externalTrafficPolicy }]) => externalTrafficPolicy === 'Cluster');
  for (const [key, service] of services) {
    if (service.externalTrafficPolicy === 'Cluster') continue;
    const serving = servingNodes(service, slices.of(key), isIpv6(address));
    const left = candidates.filter((name) => serving.has(name));
    if (left.length === 0) continue;
    candidates = left;
    isServed = true;
  }
  return isServed ? (candidates[0] ?? null) : null;
}

/** Returns the nodes with a serving endpoint for a port of a service. */
function servingNodes(service: Service, slices: readonly EndpointSlice[], isSix: boolean): ReadonlySet<string> {
  const backends = service.ports.flatMap((port) => backendsOf(service, slices, port, isSix ? 'IPv6' : 'IPv4'));
  const names = new Set(backends.flatMap(({ nodeName }) => nodeName ?? []));
  return new Set([...names].filter((name) => chosen(backends.filter(({ nodeName }) => nodeName === name)).length > 0));
}
