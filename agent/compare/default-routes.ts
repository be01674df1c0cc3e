import type { Route } from '../model/observation.ts';
import type { MovedAddresses } from '../model/plan.ts';
import { isDefault } from '../net/destination.ts';

/**
 * Returns the address family of a default route that was lost when addresses moved to another interface: the former
 * interface had a default route of this family, and the new one has none. Null if no default route was lost. The
 * gateways may differ, because DHCP and router advertisements may set other gateways.
 */
export function lostDefaultRoute(moved: MovedAddresses, routes: readonly Route[]): 'IPv4' | 'IPv6' | null {
  const present = routes.filter((route) => route.device === moved.interface && isDefault(route.destination));
  const had = moved.defaultGateways.map((gateway) => (gateway.includes(':') ? 'IPv6' : 'IPv4'));
  const has = present.map((route) => `IPv${route.family}` as const);
  return (['IPv4', 'IPv6'] as const).find((family) => had.includes(family) && !has.includes(family)) ?? null;
}
