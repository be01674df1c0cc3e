import type { Route } from '../model/observation.ts';
import type { MovedAddresses } from '../model/plan.ts';

const families = [
  { name: 'IPv4', destination: '0.0.0.0/0', isGateway: (address: string) => !address.includes(':') },
  { name: 'IPv6', destination: '::/0', isGateway: (address: string) => address.includes(':') },
] as const;

/**
 * The family whose default route a device had and has lost where it went; null when nothing is lost. The gateways may be others, because
 * DHCP and advertisements may give others.
 */
export function lostDefaultRoute(moved: MovedAddresses, routes: readonly Route[]): 'IPv4' | 'IPv6' | null {
  const own = routes.filter((route) => route.device === moved.interface);
  const lost = families.find(
    ({ destination, isGateway }) =>
      moved.defaultGateways.some(isGateway) && !own.some((route) => route.destination === destination),
  );
  return lost?.name ?? null;
}
