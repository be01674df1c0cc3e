import type { Observation, Route } from '../../model/observation.ts';
import { parseRange } from '../../net/address-range.ts';

/** Routes without those that others gave a link, and those that came with an address of others: they stay with that link. */
export function ownRoutes({ routes, foreign = [] }: Observation): readonly Route[] {
  return routes.filter(({ device, destination, gateway }) => {
    const given = foreign.find((entries) => entries.interface === device);
    if (given === undefined) return true;
    const isGiven = given.routes.some((route) => route.destination === destination && route.gateway === gateway);
    const isConnected = given.addresses.some(({ address }) => isNetworkOf(destination, address));
    return !isGiven && !(gateway === null && isConnected);
  });
}

/** True for the destination of the connected route that the kernel makes of an address with its prefix length. */
function isNetworkOf(destination: string, address: string): boolean {
  const [network, own] = [parseRange(destination), parseRange(address)];
  if (network === null || own === null || network.family !== own.family) return false;
  return network.first === own.first && network.prefixLength === own.prefixLength;
}
