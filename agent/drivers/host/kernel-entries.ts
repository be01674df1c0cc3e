import {
  type KernelAddress,
  type KernelEntries,
  type KernelNeighbour,
  type KernelRoute,
  noEntries,
} from '../../model/kernel-entries.ts';
import { run } from './exec.ts';
import { ipBatch, ipBatchOrRefusal } from './ip-batch.ts';
import { goFirst, inOrderOfAdding } from './kernel-order.ts';

/** ip(8) answers in milliseconds; the kernel does not wait for anything here. */
const commandMs = 3_000;

/** Fields of `ip -json address` (iproute2, ip/ipaddress.c); flags are there only when they are set. */
interface ShownAddress {
  readonly family: string;
  readonly local: string;
  readonly prefixlen: number;
  readonly scope: string;
  readonly metric?: number;
  readonly noprefixroute?: true;
  readonly dynamic?: true;
  readonly temporary?: true;
  readonly nodad?: true;
  readonly deprecated?: true;
}

/** Fields of `ip -json route` (iproute2, ip/iproute.c). */
interface ShownRoute {
  readonly type?: string;
  readonly dst: string;
  readonly gateway?: string;
  readonly protocol?: string;
  readonly prefsrc?: string;
  readonly metric?: number;
  readonly table?: string;
  /** A next hop of the other family. */
  readonly via?: object;
  /** More than one next hop. */
  readonly nexthops?: readonly object[];
  readonly metrics?: readonly { readonly mtu?: number }[];
}

/** One object of what a batch of `ip -json` prints: a link with its addresses, a route, or a neighbour. */
type Shown =
  | { readonly ifname: string; readonly addr_info: readonly ShownAddress[] }
  | { readonly dst: string; readonly lladdr: string }
  | ShownRoute;

/** Who makes routes for NetworkManager and the kernel themselves (rtnetlink(7), rtm_protocol). */
const configured = ['kernel', 'dhcp', 'static', 'ra'];

/**
 * What programs other than NetworkManager gave links. Routes and permanent neighbours are read of the bridges named, where they have addresses of
 * others. Best effort: where ip(8) does not answer nothing is known. `ownMetric`: of what the agent holds.
 */
export async function readForeign(bridges: readonly string[], ownMetric: number): Promise<readonly KernelEntries[]> {
  const links = await shown(['address show']);
  const entries = links.flatMap((link) => {
    if (!('addr_info' in link)) return [];
    const addresses = foreignAddresses(link.addr_info, ownMetric);
    return addresses.length === 0 ? [] : [{ ...noEntries(link.ifname), addresses }];
  });
  return Promise.all(
    entries.map((entry) => (bridges.includes(entry.interface) ? withRoutes(entry, ownMetric) : entry)),
  );
}

/** Gives an interface what it had. Fails with the first that the kernel refuses, told as text; null: it has all. */
export function addToKernel(entries: KernelEntries): Promise<string | null> {
  return ipBatchOrRefusal(wordsOf(entries));
}

/**
 * The same as far as the kernel takes it, and listed as they were: IPv4 addresses behind the node's own, because MicroShift takes the first of br-ex
 * for the node's (openshift/microshift, pkg/util/net.go).
 */
export async function addToKernelInOrder(entries: KernelEntries): Promise<void> {
  const { interface: name, addresses } = entries;
  const hasIpv6 = addresses.some(({ address }) => address.includes(':'));
  const present = hasIpv6 ? await ipv6AddressesOf(name) : [];
  const deleted = goFirst(addresses, present).map((address) => `address delete ${address} dev ${name}`);
  await ipBatch([...deleted, ...wordsOf(entries)]);
}

/** IPv6 addresses of an interface (`address/prefix`) as the kernel lists them, without those of the link. */
async function ipv6AddressesOf(name: string): Promise<readonly string[]> {
  const links = await shown([`address show dev ${name}`]);
  const entries = links.flatMap((link) => ('addr_info' in link ? link.addr_info : []));
  return entries.filter((entry) => entry.family === 'inet6' && isListed(entry)).map(prefixed);
}

/** Addresses of an interface (`address/prefix`) that the kernel takes off some day, because a lease or a router's advertisement says so. */
export async function leasedAddresses(name: string): Promise<readonly string[]> {
  const links = await shown([`address show dev ${name}`]);
  const entries = links.flatMap((link) => ('addr_info' in link ? link.addr_info : []));
  return entries.filter((entry) => entry.dynamic === true && isListed(entry)).map(prefixed);
}

/** Takes addresses (`address/prefix`) off an interface; those that are gone already are fine. */
export function removeAddresses(interfaceName: string, addresses: readonly string[]): Promise<void> {
  return ipBatch(addresses.map((address) => `address delete ${address} dev ${interfaceName}`));
}

async function withRoutes(entry: KernelEntries, ownMetric: number): Promise<KernelEntries> {
  const name = entry.interface;
  const objects = await shown([`route show table all dev ${name}`, `neighbour show dev ${name} nud permanent`]);
  const routes = objects.flatMap((one) => ('dst' in one && !('lladdr' in one) ? [one] : []));
  const neighbours = objects.flatMap((one): readonly KernelNeighbour[] =>
    'lladdr' in one ? [{ address: one.dst, mac: one.lladdr }] : [],
  );
  return { ...entry, routes: foreignRoutes(routes, ownMetric), neighbours };
}

/**
 * Addresses of somebody else's: NetworkManager makes the connected route of each of its addresses itself (IFA_F_NOPREFIXROUTE), and one of a router's
 * or a lease's ends some day. The agent's own have its metric.
 */
export function foreignAddresses(entries: readonly ShownAddress[], ownMetric: number): readonly KernelAddress[] {
  const isForeign = ({ metric, ...flags }: ShownAddress): boolean =>
    flags.noprefixroute !== true && flags.dynamic !== true && flags.temporary !== true && metric !== ownMetric;
  const listed = entries.filter(isListed);
  const firstOwn = listed.findIndex((entry) => entry.family === 'inet6' && !isForeign(entry));
  return listed.flatMap((entry, index) => {
    if (!isForeign(entry)) return [];
    const { family, metric, nodad, deprecated } = entry;
    const isBehind = family === 'inet6' && firstOwn >= 0 && firstOwn < index;
    return [
      {
        address: prefixed(entry),
        metric: metric ?? null,
        noDad: nodad === true,
        deprecated: deprecated === true,
        ...(isBehind ? { behindOwn: true as const } : {}),
      },
    ];
  });
}

/** Not one that the kernel makes itself. */
function isListed({ family, scope }: ShownAddress): boolean {
  return scope !== 'host' && (family === 'inet' || scope !== 'link');
}

function prefixed({ local, prefixlen }: ShownAddress): string {
  return `${local}/${prefixlen}`;
}

/** Unicast routes of somebody else's with one next hop or none, which is what can be given back. The agent's own have its metric. */
export function foreignRoutes(routes: readonly ShownRoute[], ownMetric: number): readonly KernelRoute[] {
  return routes.flatMap(({ type, dst, gateway, protocol = 'boot', prefsrc, metric, table, metrics = [], ...hops }) => {
    const isPlain = type === undefined && hops.via === undefined && hops.nexthops === undefined;
    if (!isPlain || configured.includes(protocol) || metric === ownMetric) return [];
    const any = gateway?.includes(':') === true ? '::/0' : '0.0.0.0/0';
    return [
      {
        destination: dst === 'default' ? any : dst,
        gateway: gateway ?? null,
        source: prefsrc ?? null,
        metric: metric ?? null,
        mtuBytes: metrics.find((one) => one.mtu !== undefined)?.mtu ?? null,
        table: table ?? null,
      },
    ];
  });
}

/** Addresses first, then who is known on the link, then what goes through it. */
function wordsOf({ interface: name, addresses, routes, neighbours }: KernelEntries): readonly string[] {
  const option = (word: string, value: string | number | null): string => (value === null ? '' : ` ${word} ${value}`);
  return [
    ...inOrderOfAdding(addresses).map(
      ({ address, metric, noDad, deprecated }) =>
        `address replace ${address} dev ${name}${option('metric', metric)}${noDad ? ' nodad' : ''}${deprecated ? ' preferred_lft 0' : ''}`,
    ),
    ...neighbours.map(({ address, mac }) => `neighbour replace ${address} lladdr ${mac} nud permanent dev ${name}`),
    ...routes.map(
      ({ destination, gateway, source, metric, mtuBytes, table }) =>
        `route replace ${destination}${option('via', gateway)} dev ${name}${option('src', source)}${option('metric', metric)}${option('mtu', mtuBytes)}${option('table', table)}`,
    ),
  ];
}

async function shown(lines: readonly string[]): Promise<readonly Shown[]> {
  const { exitCode, stdout } = await run('ip', ['-json', '-batch', '-'], commandMs, { input: `${lines.join('\n')}\n` });
  if (exitCode !== 0) return [];
  try {
    // One list a line, and an empty object in it for what it leaves out.
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as Shown[])));
  } catch {
    return [];
  }
}
