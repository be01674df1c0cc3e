import type { Route } from '../model/observation.ts';
import type { MovedAddresses } from '../model/plan.ts';
import { isDefault } from '../net/destination.ts';

/**
 * The family whose default route a device had and has lost where it went; null when nothing is lost. The gateways may be others, because
 * DHCP and advertisements may give others.
 */
export function lostDefaultRoute(moved: MovedAddresses, routes: readonly Route[]): 'IPv4' | 'IPv6' | null {
  const present = routes.filter((route) => route.device === moved.interface && isDefault(route.destination));
  const had = moved.defaultGateways.map((gateway) => (gateway.includes(':') ? 'IPv6' : 'IPv4'));
  const has = present.map((route) => `IPv${route.family}` as const);
  return (['IPv4', 'IPv6'] as const).find((family) => had.includes(family) && !has.includes(family)) ?? null;
}
