import {
  isEmpty,
  type KernelAddress,
  type KernelEntries,
  type KernelNeighbour,
  type KernelRoute,
  type KernelRule,
  ruleValue,
} from '../../../model/kernel-entries.ts';
import { loopbackMetric } from '../../../model/limits.ts';
import { commandMs, run } from '../process/exec.ts';
import { ipBatch, ipBatchOrRefusal } from './ip-batch.ts';
import { goFirst } from './kernel-order.ts';
import { parseRoute, parseRule, type ShownRoute } from './kernel-routes.ts';
import { ruleWords, withoutAddress, withoutRoutes, wordsOf } from './kernel-words.ts';
import { keepLifetimes, lifetimesOf, prefixed, type ShownAddress } from './shown-address.ts';

/** Object in the output of an `ip -json` batch: a link with its addresses, or a neighbour. */
type Shown =
  | { readonly ifname: string; readonly addr_info: readonly ShownAddress[] }
  | { readonly dst: string; readonly dev: string; readonly lladdr: string };

/** Flags that ip-address(8) accepts for an address. */
const takenFlags = ['noprefixroute', 'home', 'mngtmpaddr', 'autojoin'] as const;
/**
 * Pattern of the protocol names (IFA_PROTO) of addresses that the kernel itself has added (linux/if_addr.h,
 * IFAPROT_KERNEL_*).
 */
const kernels = /^kernel_/;
/** Pattern of an IPv6 address whose interface identifier is derived from a MAC (RFC 4291 appendix A). */
const isOfMac = /:[0-9a-f]{0,2}ff:fe[0-9a-f]{2}:[0-9a-f]{1,4}$/;
/**
 * Routing protocol of the routes that the agent adds for the time until NetworkManager adds its own (address-hold.ts).
 */
const heldProtocol = '77';

/**
 * Reads the addresses, routes, permanent neighbours and policy rules that programs other than NetworkManager have added
 * to links. Also reads entries of NetworkManager that can only come from a profile: routes of protocol `static`, and
 * addresses without a lifetime whose connected route NetworkManager adds (`noprefixroute`). Leaves out entries with the
 * metric `ownMetric`, which the agent has added. Best effort: entries that ip(8) fails to list are left out.
 */
export async function readForeign(ownMetric: number): Promise<readonly KernelEntries[]> {
  const [objects, lines] = await Promise.all([
    shown(['address show', 'neighbour show nud permanent']),
    shownLines([], ['route show table all', 'rule show']),
  ]);
  const routes = foreignRoutes(lines, ownMetric);
  // IPv6 policy rules are read only if a routing table other than main and local has IPv6 routes, because a second
  // process of ip(8) is needed to list them.
  const hasTables = lines.some((line) => line.includes(':') && /\btable (?!main|local)/.test(line));
  const rules = [
    ...lines.flatMap((line) => parseRule(line, 4) ?? []),
    ...(hasTables ? await shownLines(['-6'], ['rule show']) : []).flatMap((line) => parseRule(line, 6) ?? []),
  ];
  const links = objects.flatMap((one) => ('addr_info' in one ? [one] : []));
  return links.flatMap(({ ifname: name, addr_info }) => {
    const own = routes.filter(({ interfaces }) => interfaces.includes(name));
    const given = own.filter(({ byObject }) => byObject !== true).map(({ route }) => route);
    const unmovable = own.flatMap(({ byObject, route }) => (byObject === true ? [route.destination] : []));
    const itsRules = rulesOf(name, given, rules);
    const entries: KernelEntries = {
      interface: name,
      addresses: foreignAddresses(addr_info, ownMetric, name),
      routes: given,
      neighbours: objects.flatMap((one): readonly KernelNeighbour[] =>
        'lladdr' in one && one.dev === name ? [{ address: one.dst, mac: one.lladdr }] : [],
      ),
      ...(itsRules.length === 0 ? {} : { rules: itsRules }),
      ...(unmovable.length === 0 ? {} : { unmovable }),
    };
    return isEmpty(entries) && unmovable.length === 0 ? [] : [entries];
  });
}

/**
 * Returns the policy rules that name an interface, and NetworkManager's policy rules (protocol `static`) for a routing
 * table that has foreign routes through the interface.
 */
function rulesOf(name: string, routes: readonly KernelRoute[], rules: readonly KernelRule[]): readonly KernelRule[] {
  const tables = routes.flatMap(({ table }) => table ?? []);
  return rules.filter((rule) => {
    if (ruleValue(rule, 'iif') === name || ruleValue(rule, 'oif') === name) return true;
    return ruleValue(rule, 'proto') === 'static' && tables.includes(ruleValue(rule, 'lookup') ?? '');
  });
}

/**
 * Returns the entries with current lifetimes: each address gets the remaining lifetimes that it has in the kernel now,
 * on any link. An address from a router advertisement or a lease has to keep its lifetimes (RFC 4862 section 5.5.4), so
 * that the kernel removes it if it is neither advertised nor leased again.
 */
export async function withLifetimes(entries: KernelEntries): Promise<KernelEntries> {
  if (entries.addresses.length === 0) return entries;
  const links = await shown(['address show']);
  return keepLifetimes(
    entries,
    links.flatMap((link) => ('addr_info' in link ? link.addr_info : [])),
  );
}

/**
 * Adds the addresses, neighbours and routes to their interface, and stops at the first that the kernel rejects. Returns
 * the error of the kernel as text; null if all were added.
 */
export function addToKernel(entries: KernelEntries): Promise<string | null> {
  return ipBatchOrRefusal(wordsOf(entries, 'replace'));
}

/**
 * Adds addresses, neighbours, routes and policy rules to their interface, except those that the kernel rejects. The
 * kernel then lists the addresses in their original order, except that IPv4 addresses come after the node's own:
 * MicroShift uses the first address of br-ex as the node's address (openshift/microshift, pkg/util/net.go).
 */
export async function addToKernelInOrder(entries: KernelEntries): Promise<void> {
  const { interface: name, addresses } = entries;
  const present = addresses.length === 0 ? [] : await addressesOf(name);
  const leaving = goFirst(addresses, present);
  const deleted = addresses
    .filter(({ address }) => leaving.includes(address))
    .map((entry) => withoutAddress(entry, name));
  await ipBatch([...deleted, ...wordsOf(entries, 'append'), ...ruleWords(entries, 4, 'add')]);
  await ipBatch(ruleWords(entries, 6, 'add'), ['-6']);
}

/**
 * Moves foreign entries from one interface to the interface that `to` names. Routes and rules move at once. Addresses
 * are added, and can be used at once; the addresses on the former interface are removed later, together with its other
 * addresses. Best effort: entries that the kernel rejects are skipped.
 */
export async function moveInKernel(from: KernelEntries, to: KernelEntries): Promise<void> {
  const addresses = to.addresses.map((entry) => ({ ...entry, noDad: entry.address.includes(':') || entry.noDad }));
  await ipBatch([
    ...wordsOf({ ...to, addresses }, 'append'),
    ...ruleWords(to, 4, 'add'),
    ...withoutRoutes(from),
    ...ruleWords(namingIt(from), 4, 'delete'),
  ]);
  await ipBatch([...ruleWords(to, 6, 'add'), ...ruleWords(namingIt(from), 6, 'delete')], ['-6']);
}

/**
 * Returns the entries of an interface; of its policy rules, only those that name the interface. The other policy rules
 * also apply to the interface to which the entries move, so they are not removed.
 */
function namingIt({ rules = [], ...entries }: KernelEntries): KernelEntries {
  return { ...entries, rules: rules.filter(({ words }) => words.includes(entries.interface)) };
}

/**
 * Returns the addresses of an interface (`address/prefix`) in the kernel's order, without addresses of scope host and
 * link-local IPv6 addresses.
 */
async function addressesOf(name: string): Promise<readonly string[]> {
  const links = await shown([`address show dev ${name}`]);
  const entries = links.flatMap((link) => ('addr_info' in link ? link.addr_info : []));
  return entries.filter(isListed).map(prefixed);
}

/**
 * Returns the addresses of an interface (`address/prefix`) that have a lifetime, such as addresses from a lease or a
 * router advertisement. Leaves out link-local IPv6 addresses.
 */
export async function leasedAddresses(name: string): Promise<readonly string[]> {
  const links = await shown([`address show dev ${name}`]);
  const entries = links.flatMap((link) => ('addr_info' in link ? link.addr_info : []));
  return entries.filter((entry) => entry.dynamic === true && isListed(entry)).map(prefixed);
}

/** Removes addresses (`address/prefix`) from an interface; missing ones are ignored. */
export function removeAddresses(interfaceName: string, addresses: readonly string[]): Promise<void> {
  return ipBatch(addresses.map((address) => `address delete ${address} dev ${interfaceName}`));
}

/**
 * Returns the addresses that other programs may have added: all except those that certainly come from NetworkManager,
 * the agent or the kernel. An address with a lifetime and the flag `noprefixroute` comes from NetworkManager, which got
 * it from a lease or a router advertisement. An address with the metric `ownMetric` comes from the agent. A link-local
 * address that is derived from the MAC comes from the kernel, which marks its own addresses only since Linux 5.18.
 */
export function foreignAddresses(
  entries: readonly ShownAddress[],
  ownMetric: number,
  name: string,
): readonly KernelAddress[] {
  const isForeign = ({ family, local, scope, metric, protocol = '', ...flags }: ShownAddress): boolean => {
    if (flags.temporary === true || kernels.test(protocol) || metric === ownMetric) return false;
    const isLinkLocal = family === 'inet6' && scope === 'link';
    if (isLinkLocal) return flags.noprefixroute !== true && !isOfMac.test(local);
    return !(flags.noprefixroute === true && flags.dynamic === true);
  };
  const isCandidate = (entry: ShownAddress): boolean =>
    (entry.scope !== 'host' || entry.metric === loopbackMetric) && isForeign(entry);
  const firstOwn = entries
    .filter(isListed)
    .findIndex((entry) => entry.family === 'inet6' && (entry.noprefixroute === true || !isForeign(entry)));
  const listed = entries.filter(isListed);
  return entries.filter(isCandidate).map((entry) => {
    const isBehind = entry.family === 'inet6' && firstOwn >= 0 && firstOwn < listed.indexOf(entry);
    return { ...addressEntry(entry, name), ...(isBehind ? { behindOwn: true as const } : {}) };
  });
}

/** Returns an address with all attributes that ip-address(8) accepts. */
function addressEntry(entry: ShownAddress, name: string): KernelAddress {
  const { family, scope, metric, nodad, deprecated, address: peer, broadcast, label, protocol } = entry;
  const flags = takenFlags.filter((flag) => entry[flag] === true);
  return {
    address: prefixed(entry),
    metric: metric ?? null,
    noDad: nodad === true,
    deprecated: deprecated === true,
    ...(peer === undefined ? {} : { peer: `${peer}/${entry.prefixlen}` }),
    ...(broadcast === undefined ? {} : { broadcast }),
    ...(family === 'inet6' || scope === 'global' ? {} : { scope }),
    ...(label?.startsWith(`${name}:`) === true ? { label: label.slice(name.length) } : {}),
    ...(flags.length === 0 ? {} : { flags }),
    ...(protocol === undefined ? {} : { protocol }),
    ...lifetimesOf(entry),
  };
}

/**
 * Returns false for addresses that the kernel adds by itself: those of scope host, and link-local IPv6 addresses.
 * Returns true for all others.
 */
function isListed({ family, scope }: ShownAddress): boolean {
  return scope !== 'host' && (family === 'inet' || scope !== 'link');
}

/**
 * Returns the routes that neither the kernel nor NetworkManager adds by itself. Leaves out the agent's routes, which
 * have its metric or its protocol.
 */
export function foreignRoutes(lines: readonly string[], ownMetric: number): readonly ShownRoute[] {
  return lines.flatMap((line) => {
    const shownRoute = /^\d+:/.test(line) ? null : parseRoute(line);
    if (shownRoute === null) return [];
    const { metric, protocol } = shownRoute.route;
    return metric === ownMetric || protocol === heldProtocol ? [] : [shownRoute];
  });
}

async function shownLines(options: readonly string[], lines: readonly string[]): Promise<readonly string[]> {
  const words = [...options, '-details', '-oneline', '-batch', '-'];
  const { exitCode, stdout } = await run('ip', words, commandMs, { input: `${lines.join('\n')}\n` });
  return exitCode === 0 ? stdout.split('\n').filter((line) => line.trim() !== '') : [];
}

async function shown(lines: readonly string[]): Promise<readonly Shown[]> {
  const { exitCode, stdout } = await run('ip', ['-json', '-batch', '-'], commandMs, { input: `${lines.join('\n')}\n` });
  if (exitCode !== 0) return [];
  try {
    // Each line that ip(8) prints is a JSON list, in which an empty object stands for each entry that is not shown.
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as Shown[])));
  } catch {
    return [];
  }
}
