import type { Observation, Route } from '../../model/observation.ts';
import { parseRange } from '../../net/address-range.ts';

/**
 * Returns the routes except foreign ones and the connected routes of foreign addresses; these exceptions stay with
 * their link.
 */
export function ownRoutes({ routes, foreign = [] }: Observation): readonly Route[] {
  return routes.filter(({ device, destination, gateway }) => {
    const given = foreign.find((entries) => entries.interface === device);
    if (given === undefined) return true;
    const isGiven = given.routes.some((route) => route.destination === destination && route.gateway === gateway);
    const isConnected = given.addresses.some(({ address }) => isNetworkOf(destination, address));
    return !isGiven && !(gateway === null && isConnected);
  });
}

/**
 * Returns true for the destination of the connected route that the kernel derives from an address and its prefix
 * length.
 */
function isNetworkOf(destination: string, address: string): boolean {
  const [network, own] = [parseRange(destination), parseRange(address)];
  if (network === null || own === null || network.family !== own.family) return false;
  return network.first === own.first && network.prefixLength === own.prefixLength;
}
