import type { HeldRoute } from '../../../model/plan.ts';
import { commandMs, run } from '../process/exec.ts';
import { ipBatch } from './ip-batch.ts';
import { readLinks } from './links.ts';

/**
 * Lifetime, in seconds, of the addresses that the agent adds for the time until NetworkManager adds them. The lifetime
 * exceeds the time for a DHCP exchange (at most 50 s) and for duplicate address detection (at most 10 s). An address
 * that the NIC's own profile does not add again expires by itself.
 */
const holdSeconds = 120;

/**
 * Routing protocol of the routes that the agent adds for the time until NetworkManager adds its own. A later run
 * recognizes the routes by this protocol. iproute2 assigns no name to this number (etc/rt_protos), and NetworkManager
 * ignores routes of such a protocol (nm-platform.c, ip_route_is_tracked).
 */
const heldProtocol = 77;

export interface RouteHold {
  readonly interface: string;
  readonly routes: readonly HeldRoute[];
  readonly metric: number;
}

/**
 * Adds addresses (`address/prefix`), which can be used at once, to an interface in the kernel. Duplicate address
 * detection is off, because the node has the addresses on another interface with the same MAC and would detect itself.
 * An address that NetworkManager has already added stays as it is.
 */
export async function holdAddresses(interfaceName: string, addresses: readonly string[]): Promise<void> {
  const lifetime = `valid_lft ${holdSeconds} preferred_lft ${holdSeconds}`;
  await ipBatch(
    addresses.map(
      (address) => `address add ${address}${familyWords(address)} dev ${interfaceName} noprefixroute ${lifetime}`,
    ),
  );
}

/**
 * Returns the words of `ip address add` that depend on the family of the address: `nodad` for IPv6, the broadcast
 * address for IPv4. NetworkManager could not add the broadcast address later, because the kernel does not change it for
 * an existing address (net/ipv4/devinet.c, inet_rtm_newaddr). As in NetworkManager (observed with version 1.58), a
 * prefix of 31 or 32 bits has no broadcast address.
 */
function familyWords(address: string): string {
  if (address.includes(':')) return ' nodad';
  return Number(address.split('/')[1]) < 31 ? ' broadcast +' : '';
}

/**
 * Holds routes: adds them for the time until NetworkManager adds its own. The metric in `hold` applies to all of them.
 */
export async function holdRoutes(hold: RouteHold): Promise<void> {
  await ipBatch(hold.routes.map((route) => `route replace ${routeWords(route, hold)}`));
}

/** Removes held routes; missing routes are ignored. */
export async function releaseRoutes(hold: RouteHold): Promise<void> {
  await ipBatch(hold.routes.map((route) => `route delete ${routeWords(route, hold)}`));
}

/**
 * Returns the held routes of this node, grouped by interface and metric. Best effort: leaves out the routes of an
 * address family for which ip(8) fails.
 */
export async function readHeldRoutes(): Promise<readonly RouteHold[]> {
  const shown = await Promise.all([heldOf('-4', '0.0.0.0/0'), heldOf('-6', '::/0')]);
  const holds = new Map<string, RouteHold>();
  for (const { interface: device, metric, route } of shown.flat()) {
    const key = `${metric} ${device}`;
    holds.set(key, { interface: device, metric, routes: [...(holds.get(key)?.routes ?? []), route] });
  }
  return [...holds.values()];
}

interface ShownHold {
  readonly interface: string;
  readonly metric: number;
  readonly route: HeldRoute;
}

/** Returns the held routes of one address family. */
async function heldOf(family: '-4' | '-6', anywhere: string): Promise<readonly ShownHold[]> {
  const words = ['-json', family, 'route', 'show', 'proto', String(heldProtocol)];
  const { exitCode, stdout } = await run('ip', words, commandMs);
  if (exitCode !== 0 || stdout.trim() === '') return [];
  return parseRoutes(stdout).map(({ dst, gateway = null, dev, metric }) => ({
    interface: dev,
    metric,
    route: { destination: dst === 'default' ? anywhere : dst, gateway },
  }));
}

/** Fields of `ip -json route` (iproute2, ip/iproute.c). */
interface ShownRoute {
  readonly dst: string;
  readonly gateway?: string;
  readonly dev: string;
  readonly metric: number;
}

function parseRoutes(json: string): readonly ShownRoute[] {
  try {
    return JSON.parse(json);
  } catch {
    return [];
  }
}

/** Sets the MAC of an interface if it has another MAC. */
export async function setMac(interfaceName: string, mac: string): Promise<void> {
  const link = readLinks().find((entry) => entry.name === interfaceName);
  if (link !== undefined && link.mac.toLowerCase() !== mac.toLowerCase())
    await ipBatch([`link set dev ${interfaceName} address ${mac}`]);
}

/**
 * Sets an interface up and makes the kernel add a link-local address that is derived from the MAC. NetworkManager
 * disables this automatic address on interfaces that it manages.
 */
export async function setUp(interfaceName: string): Promise<void> {
  await ipBatch([`link set dev ${interfaceName} addrgenmode eui64`, `link set dev ${interfaceName} up`]);
}

function routeWords(route: HeldRoute, hold: RouteHold): string {
  // `onlink` makes the kernel accept a gateway outside of every connected network. NetworkManager sets this flag as
  // well.
  const gateway = route.gateway === null ? '' : `via ${route.gateway} onlink `;
  return `${route.destination} ${gateway}dev ${hold.interface} metric ${hold.metric} proto ${heldProtocol}`;
}
