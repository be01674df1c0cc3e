import type { HeldRoute } from '../../model/plan.ts';
import { run } from './exec.ts';
import { ipBatch } from './ip-batch.ts';
import { readLinks } from './links.ts';

/**
 * Outlasts a DHCP exchange and duplicate address detection (50 s and 10 s at most) and ends by itself: an address that the NIC's own
 * profile does not bring back must not stay for ever.
 */
const holdSeconds = 120;

/**
 * The routing protocol of held routes, by which any later run knows them for ours: a number that iproute2 gives to nobody (etc/rt_protos).
 * NetworkManager leaves routes of such a protocol alone (nm-platform.c, ip_route_is_tracked).
 */
const heldProtocol = 77;
/** ip(8) answers in milliseconds; the kernel does not wait for anything here. */
const commandMs = 3_000;

export interface RouteHold {
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

/** What is held of routes on this node, an entry for each interface and metric. Best effort: nothing where ip(8) does not answer. */
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

/** Held routes of one family. */
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
  return `${route.destination} ${gateway}dev ${hold.interface} metric ${hold.metric} proto ${heldProtocol}`;
}
