import type { HeldRoute } from '../../model/plan.ts';
import { ipBatch } from './ip-batch.ts';
import { readLinks } from './links.ts';

/**
 * Outlasts a DHCP exchange and duplicate address detection (50 s and 10 s at most) and ends by itself: an address that the NIC's own
 * profile does not bring back must not stay for ever.
 */
const holdSeconds = 120;

interface RouteHold {
  readonly interface: string;
  readonly routes: readonly HeldRoute[];
  readonly metric: number;
}

/**
 * Gives an interface addresses (`address/prefix`) in the kernel, usable at once: the node holds them on another interface with the same
 * MAC, so asking whether somebody else does would only find itself. One that NetworkManager has added already stays as it is.
 */
export async function holdAddresses(interfaceName: string, addresses: readonly string[]): Promise<void> {
  const lifetime = `valid_lft ${holdSeconds} preferred_lft ${holdSeconds}`;
  await ipBatch(
    addresses.map(
      (address) =>
        `address add ${address} dev ${interfaceName} noprefixroute ${lifetime}${address.includes(':') ? ' nodad' : ''}`,
    ),
  );
}

/** Adds routes that stand in for those NetworkManager will bring; their metric wins. */
export async function holdRoutes(hold: RouteHold): Promise<void> {
  await ipBatch(hold.routes.map((route) => `route replace ${routeWords(route, hold)}`));
}

/** Removes the routes of a hold; those that are gone already are fine. */
export async function releaseRoutes(hold: RouteHold): Promise<void> {
  await ipBatch(hold.routes.map((route) => `route delete ${routeWords(route, hold)}`));
}

/** Gives an interface a MAC, where it has another one. */
export async function setMac(interfaceName: string, mac: string): Promise<void> {
  const link = readLinks().find((entry) => entry.name === interfaceName);
  if (link !== undefined && link.mac.toLowerCase() !== mac.toLowerCase())
    await ipBatch([`link set dev ${interfaceName} address ${mac}`]);
}

/** Brings an interface up, and lets the kernel give it a link-local address by its MAC, which NetworkManager forbids where it manages. */
export async function setUp(interfaceName: string): Promise<void> {
  await ipBatch([`link set dev ${interfaceName} addrgenmode eui64`, `link set dev ${interfaceName} up`]);
}

function routeWords(route: HeldRoute, hold: RouteHold): string {
  // A gateway beyond the prefix of every address is fine for NetworkManager, so it is here.
  const gateway = route.gateway === null ? '' : `via ${route.gateway} onlink `;
  return `${route.destination} ${gateway}dev ${hold.interface} metric ${hold.metric}`;
}
