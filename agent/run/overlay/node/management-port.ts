import { addressesOf, type Link, type Route } from '../../../model/observation.ts';
import type { OverlayLayout, OverlayNode } from '../../../model/overlay.ts';
import type { PortChange } from '../../../model/overlay-plan.ts';
import { isIpv6, withoutLength } from '../../../overlay/addresses.ts';
import { managementAddresses, routerAddresses } from '../../../overlay/cluster/node-rows.ts';

const program = 'ip';

/** Facts of the kernel that decide which entries the management interface lacks. */
export interface PortFacts {
  readonly links: readonly Link[];
  readonly routes: readonly Route[];
  /** True if the kernel would accept router advertisements on the interface (ip-sysctl.rst, accept_ra). */
  readonly takesAdvertisements: boolean;
}

/**
 * Plans the kernel entries that the management interface lacks: link state, MTU, addresses, and routes to the other
 * nodes' subnets and to services. The addresses and routes are static, so router advertisements are not needed. Router
 * advertisements that arrive come from pods, and OVN cannot drop them. The kernel is therefore set to ignore them
 * before the interface is up.
 */
export function planManagementPort(
  device: string,
  { clusterSubnets, serviceSubnets, mtu }: OverlayLayout,
  node: OverlayNode,
  { links, routes, takesAdvertisements }: PortFacts,
): PortChange[] {
  const link = links.find(({ name }) => name === device);
  const changes: PortChange[] = [];
  if (takesAdvertisements) {
    const why = `${device} accepts router advertisements, which only pods send there`;
    changes.push({ program: 'sysctl', command: `net/ipv6/conf/${device}/accept_ra=0`, why });
  }
  if (link?.up !== true) changes.push({ program, command: `link set dev ${device} up`, why: `${device} is not up` });
  if (link !== undefined && link.mtuBytes !== mtu)
    changes.push({
      program,
      command: `link set dev ${device} mtu ${mtu}`,
      why: `the MTU of ${device} is ${link.mtuBytes} instead of ${mtu}`,
    });
  const [addresses, routers] = [managementAddresses(node), routerAddresses(node)];
  for (const [index, subnet] of node.subnets.entries()) {
    const address = addresses[index] ?? '';
    const own = withoutLength(address);
    const router = withoutLength(routers[index] ?? '');
    const has = addressesOf(link).includes(address);
    // No other host can have the IPv6 address of the management port, so duplicate address detection would only delay
    // the routes.
    const flags = isIpv6(subnet) ? ' nodad' : '';
    if (!has) {
      changes.push({
        program,
        command: `addr replace ${address} dev ${device}${flags}`,
        why: `${device} does not have the address ${own}`,
      });
    }
    const isOnLink = routes.some((one) => one.device === device && one.destination === subnet && one.gateway === null);
    // The kernel creates the connected route when the address is added or the link comes up, but not again after the
    // route was removed.
    if (has && link?.up === true && !isOnLink) {
      const command = `route replace ${subnet} dev ${device} proto kernel src ${own}`;
      changes.push({ program, command, why: `the route to ${subnet} on ${device} is missing` });
    }
    for (const cluster of [...clusterSubnets, ...serviceSubnets].filter((one) => isIpv6(one) === isIpv6(subnet))) {
      const isThere = routes.some(
        (one) => one.device === device && one.destination === cluster && one.gateway === router,
      );
      if (cluster !== subnet && !isThere) {
        const command = `route replace ${cluster} via ${router} dev ${device}`;
        changes.push({ program, command, why: `the route to ${cluster} by ${device} is missing` });
      }
    }
  }
  return changes;
}
