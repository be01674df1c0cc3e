import type { Link, Route } from '../../model/observation.ts';
import type { OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import type { PortChange } from '../../model/overlay-plan.ts';
import { familyOf } from '../../net/address.ts';
import { addressAt, parseRange } from '../../net/address-range.ts';

/** The switch of a node has the first address of its subnet, the node itself the second (ovn-kubernetes, docs/design/topology). */
const places = { router: 1, node: 2 } as const;

/** What the kernel lacks of the interface: it up, its addresses, and the way to the other nodes' subnets and to services. */
export function planManagementPort(
  device: string,
  { clusterSubnets, serviceSubnets, mtu }: OverlayLayout,
  { subnets }: OverlayNode,
  { links, routes }: { readonly links: readonly Link[]; readonly routes: readonly Route[] },
): PortChange[] {
  const link = links.find(({ name }) => name === device);
  const changes: PortChange[] = [];
  if (link?.up !== true) changes.push({ command: `link set dev ${device} up`, why: `${device} is not up` });
  if (link !== undefined && link.mtuBytes !== mtu)
    changes.push({
      command: `link set dev ${device} mtu ${mtu}`,
      why: `${device} has MTU ${link.mtuBytes}, not ${mtu}`,
    });
  for (const subnet of subnets) {
    const range = parseRange(subnet);
    const [own, router] =
      range === null ? [null, null] : [addressAt(range, places.node), addressAt(range, places.router)];
    if (range === null || own === null || router === null) continue;
    const has = link?.addresses.some(
      ({ address, prefixLength }) => address === own && prefixLength === range.prefixLength,
    );
    // IPv6: nobody else can have it, and the wait for duplicates would hold up the route.
    const flags = range.family === 6 ? ' nodad' : '';
    if (has !== true) {
      const command = `addr replace ${own}/${range.prefixLength} dev ${device}${flags}`;
      changes.push({ command, why: `${device} has no address ${own}` });
    }
    const isOnLink = routes.some((one) => one.device === device && one.destination === subnet && one.gateway === null);
    // With the address, or with the link, the kernel makes it; once it was taken away nobody does.
    if (has === true && link?.up === true && !isOnLink) {
      const command = `route replace ${subnet} dev ${device} proto kernel src ${own}`;
      changes.push({ command, why: `${device} does not lead to its own subnet` });
    }
    for (const cluster of [...clusterSubnets, ...serviceSubnets].filter(
      (text) => familyOf(text.split('/')[0] ?? '') === range.family,
    )) {
      const isThere = routes.some(
        (one) => one.device === device && one.destination === cluster && one.gateway === router,
      );
      if (cluster !== subnet && !isThere) {
        const command = `route replace ${cluster} via ${router} dev ${device}`;
        changes.push({ command, why: `the cluster's ${cluster} is not reached over ${device}` });
      }
    }
  }
  return changes;
}
