import { fileText } from '../drivers/host/files/kernel-files.ts';
import type { Link, Route } from '../model/observation.ts';

/*
 * Signs that other programs may have added entries to links. Only a query through ip(8) shows the entries, but it takes
 * two processes, and half the time of a run that changes nothing. The query is therefore made only if files of the
 * kernel show such a sign. These files show neither the origin of a route nor the flags of an address, so a sign proves
 * nothing.
 */

/**
 * Signs in /proc/net that other programs may have added routes or neighbours: IPv4 routing tables other than local,
 * main and default (255, 254, 253), and permanent neighbours (ATF_PERM).
 */
export interface TableSigns {
  readonly hasOtherTables: boolean;
  readonly hasPermanentNeighbours: boolean;
}

/** Reads from /proc/net the signs that other programs may have added routes or neighbours to any link. */
export function readTableSigns(textOf: (path: string) => string | null = fileText): TableSigns {
  const tables = [...(textOf('/proc/net/fib_trie') ?? '').matchAll(/^Id (\d+):/gm)].map(([, id]) => Number(id));
  const flags = [...(textOf('/proc/net/arp') ?? '').matchAll(/^\S+\s+0x\w+\s+(0x\w+)/gm)].map(([, text]) =>
    Number(text),
  );
  return {
    hasOtherTables: tables.some((id) => id < 253 || id > 255),
    hasPermanentNeighbours: flags.some((flag) => (flag & 0x4) !== 0),
  };
}

/**
 * Metrics of three kinds of routes: connected routes of IPv4 and of IPv6 that the kernel adds itself, and IPv6 routes
 * that ip(8) adds without a metric (ip-route(8), IP6_RT_PRIO_*).
 */
const [kernels4, kernels6, users6] = [0, 256, 1024];

/**
 * Returns true if links, routes or `signs` show that other programs may have added addresses, routes or neighbours.
 * `ours` contains the names of the agent's bridges.
 */
export function mayHaveOthers(
  links: readonly Link[],
  routes: readonly Route[],
  ours: readonly string[],
  signs: TableSigns,
): boolean {
  if (signs.hasOtherTables || signs.hasPermanentNeighbours) return true;
  return links.some((link) => {
    const own = routes.filter((route) => route.device === link.name);
    return (
      hasMoreAddresses(link, own, ours) ||
      (isOfInterest(link, own, ours) && own.some((route) => isSign(route, link, own)))
    );
  });
}

/**
 * Returns true if a link has more addresses of a family than NetworkManager usually adds without a static address in
 * the profile. NetworkManager usually adds at most one; it adds none to a bridge of the agent that has no default
 * route. lo usually has only the loopback addresses.
 */
function hasMoreAddresses(link: Link, own: readonly Route[], ours: readonly string[]): boolean {
  const addresses = link.addresses.filter((entry) => entry.scope !== 'host' && !entry.temporary);
  if (link.name === 'lo') return link.addresses.some((entry) => !/^127\.|^::1$/.test(entry.address));
  const ofLink = addresses.filter((entry) => entry.family === 6 && entry.scope === 'link');
  const others = addresses.filter((entry) => !ofLink.includes(entry));
  const isUsed = own.some((route) => route.destination.endsWith('/0'));
  if (ours.includes(link.name) && !isUsed) return others.length > 0;
  const count = (family: 4 | 6): number => others.filter((entry) => entry.family === family).length;
  return count(4) > 1 || count(6) > 1 || ofLink.length > 1;
}

/**
 * Returns true for a link that is an uplink, may become one, or is a bridge of the agent. Links of containers are left
 * out: they usually have connected routes that the kernel has added, and such routes would wrongly count as a sign that
 * another program has added entries.
 */
function isOfInterest({ name, master, driver, kind }: Link, own: readonly Route[], ours: readonly string[]): boolean {
  return (
    ours.includes(name) ||
    master === 'ovs-system' ||
    driver !== null ||
    ['bond', 'team', 'vlan'].includes(kind ?? '') ||
    own.some((route) => route.destination.endsWith('/0'))
  );
}

/**
 * Returns true for a route that is neither NetworkManager's connected route of an address, nor its default route, nor
 * the route to a gateway. Link-local and multicast routes of IPv6 do not count.
 */
function isSign({ destination, gateway, family, metric, viaIpv6 }: Route, link: Link, own: readonly Route[]): boolean {
  if (destination.startsWith('fe80:') || destination.startsWith('ff')) return false;
  if (destination.endsWith('/0')) {
    const others = own.filter((route) => route.destination === destination);
    return others.length > 1 || viaIpv6 === true || metric === (family === 4 ? kernels4 : users6);
  }
  const length = Number(destination.split('/')[1]);
  const isConnected =
    gateway === null && link.addresses.some((entry) => entry.family === family && entry.prefixLength === length);
  if (isConnected) return metric === (family === 4 ? kernels4 : kernels6);
  const [host] = destination.split('/');
  return !(gateway === null && own.some((route) => route.gateway === host));
}
