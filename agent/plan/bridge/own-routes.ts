import type { KernelEntries } from '../../model/kernel-entries.ts';
import { type Observation, prefixedAddress, type Route } from '../../model/observation.ts';
import { parseRange } from '../../net/address-range.ts';

/**
 * Returns the routes of the node itself: all routes except foreign ones and the connected routes of foreign addresses.
 * Foreign routes move in steps of their own (carried-entries.ts), and a connected route follows its address.
 */
export function ownRoutes(observation: Observation): readonly Route[] {
  const { routes, foreign = [] } = observation;
  return routes.filter((route) => {
    const given = foreign.find((entries) => entries.interface === route.device);
    if (given === undefined) return true;
    const { destination, gateway } = route;
    const isGiven = given.routes.some((other) => other.destination === destination && other.gateway === gateway);
    return !isGiven && !(gateway === null && isOfForeignAddress(route, given, observation));
  });
}

/**
 * Returns true for a connected route that exists because of a foreign address. If the node has an address of its own in
 * the same network, the route of that address stays. For the foreign address, the kernel then adds no route (for IPv4,
 * net/ipv4/fib_frontend.c, fib_add_ifaddr), or a second route, which has the metric of the foreign address.
 */
function isOfForeignAddress(route: Route, given: KernelEntries, { links, routes }: Observation): boolean {
  const { destination, device, family, metric } = route;
  const added = given.addresses.filter(({ address }) => isNetworkOf(destination, address));
  if (added.length === 0) return false;
  const addresses = links.find(({ name }) => name === device)?.addresses ?? [];
  const isOwn = addresses.some((entry) => entry.foreign !== true && isNetworkOf(destination, prefixedAddress(entry)));
  if (!isOwn) return true;
  const same = routes.filter(
    (other) => other.device === device && other.destination === destination && other.gateway === null,
  );
  return same.length > 1 && added.some((entry) => (entry.metric ?? kernelMetric[family]) === metric);
}

/** Metrics that the kernel itself gives to connected routes, by family (net/ipv6/addrconf.c, IP6_RT_PRIO_ADDRCONF). */
const kernelMetric = { 4: 0, 6: 256 } as const;

/**
 * Returns true for the destination of the connected route that the kernel derives from an address and its prefix
 * length.
 */
function isNetworkOf(destination: string, address: string): boolean {
  const [network, own] = [parseRange(destination), parseRange(address)];
  if (network === null || own === null || network.family !== own.family) return false;
  return network.first === own.first && network.prefixLength === own.prefixLength;
}
