import {
  isEmpty,
  type KernelAddress,
  type KernelEntries,
  type KernelNeighbour,
  type KernelRoute,
  type KernelRule,
  ruleValue,
} from '../../model/kernel-entries.ts';
import { run } from './exec.ts';
import { ipBatch, ipBatchOrRefusal } from './ip-batch.ts';
import { goFirst } from './kernel-order.ts';
import { parseRoute, parseRule, type ShownRoute } from './kernel-routes.ts';
import { ruleWords, withoutAddress, withoutRoutes, wordsOf } from './kernel-words.ts';

/** ip(8) answers in milliseconds; the kernel does not wait for anything here. */
const commandMs = 3_000;

/** Fields of `ip -json address` (iproute2, ip/ipaddress.c); flags are there only when they are set. */
export interface ShownAddress {
  readonly family: string;
  readonly local: string;
  /** Address of the other end of the link (peer). */
  readonly address?: string;
  readonly prefixlen: number;
  readonly broadcast?: string;
  readonly scope: string;
  readonly label?: string;
  readonly metric?: number;
  readonly protocol?: string;
  readonly valid_life_time?: number;
  readonly preferred_life_time?: number;
  readonly noprefixroute?: true;
  readonly home?: true;
  readonly mngtmpaddr?: true;
  readonly autojoin?: true;
  readonly dynamic?: true;
  readonly temporary?: true;
  readonly nodad?: true;
  readonly deprecated?: true;
}

/** One object of what a batch of `ip -json` prints: a link with its addresses, or a neighbour. */
type Shown =
  | { readonly ifname: string; readonly addr_info: readonly ShownAddress[] }
  | { readonly dst: string; readonly dev: string; readonly lladdr: string };

/** Flags of an address that ip-address(8) takes. */
const takenFlags = ['noprefixroute', 'home', 'mngtmpaddr', 'autojoin'] as const;
/** Whom IFA_PROTO names where the kernel has given an address (linux/if_addr.h, IFAPROT_KERNEL_*). */
const kernels = /^kernel_/;
/** An interface identifier of the MAC (RFC 4291 appendix A). */
const isOfMac = /:[0-9a-f]{0,2}ff:fe[0-9a-f]{2}:[0-9a-f]{1,4}$/;
/** INFINITY_LIFE_TIME of iproute2. */
const forEver = 4_294_967_295;
/** The routing protocol of what the agent holds (address-hold.ts). */
const heldProtocol = '77';

/**
 * Reads what programs other than NetworkManager added to links, and entries of NetworkManager that a profile has to explain: addresses without a
 * lifetime for which it made the connected route (`noprefixroute`), and routes of protocol `static`. Best effort: if ip(8) does not answer, nothing
 * is known. `ownMetric` is the metric of the entries that the agent holds.
 */
export async function readForeign(ownMetric: number): Promise<readonly KernelEntries[]> {
  const [objects, lines] = await Promise.all([
    shown(['address show', 'neighbour show nud permanent']),
    shownLines([], ['route show table all', 'rule show']),
  ]);
  const routes = foreignRoutes(lines, ownMetric);
  // Without a table of its own there is nothing that an IPv6 rule could lead to, and to ask takes another process.
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

/** Rules that name an interface, and those of NetworkManager's protocol that lead to a table with routes of others through it. */
function rulesOf(name: string, routes: readonly KernelRoute[], rules: readonly KernelRule[]): readonly KernelRule[] {
  const tables = routes.flatMap(({ table }) => table ?? []);
  return rules.filter((rule) => {
    if (ruleValue(rule, 'iif') === name || ruleValue(rule, 'oif') === name) return true;
    return ruleValue(rule, 'proto') === 'static' && tables.includes(ruleValue(rule, 'lookup') ?? '');
  });
}

/** Gives an interface what it had. Fails with the first that the kernel refuses, told as text; null: it has all. */
export function addToKernel(entries: KernelEntries): Promise<string | null> {
  return ipBatchOrRefusal(wordsOf(entries, 'replace'));
}

/**
 * The same as far as the kernel takes it, and listed as they were: IPv4 addresses behind the node's own, because MicroShift takes the first of br-ex
 * for the node's (openshift/microshift, pkg/util/net.go).
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
 * Moves entries of others from an interface to the one they name: routes and rules at once, addresses are there in addition, usable at once, and go with
 * the former interface's own. As far as the kernel takes it.
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

/** Rules that name the interface; others are the same for both. */
function namingIt({ rules = [], ...entries }: KernelEntries): KernelEntries {
  return { ...entries, rules: rules.filter(({ words }) => words.includes(entries.interface)) };
}

/** Addresses of an interface (`address/prefix`) as the kernel lists them, without those of the link. */
async function addressesOf(name: string): Promise<readonly string[]> {
  const links = await shown([`address show dev ${name}`]);
  const entries = links.flatMap((link) => ('addr_info' in link ? link.addr_info : []));
  return entries.filter(isListed).map(prefixed);
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

/**
 * Returns the addresses of other programs. An address from a router or a lease that NetworkManager applied has a lifetime and no route of the kernel;
 * the agent's own have its metric. The kernel derives a link-local address from the MAC, and marks it as its own only since Linux 5.18.
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
  const isCandidate = (entry: ShownAddress): boolean => entry.scope !== 'host' && isForeign(entry);
  const firstOwn = entries
    .filter(isListed)
    .findIndex((entry) => entry.family === 'inet6' && (entry.noprefixroute === true || !isForeign(entry)));
  const listed = entries.filter(isListed);
  return entries.filter(isCandidate).map((entry) => {
    const isBehind = entry.family === 'inet6' && firstOwn >= 0 && firstOwn < listed.indexOf(entry);
    return { ...addressEntry(entry, name), ...(isBehind ? { behindOwn: true as const } : {}) };
  });
}

/** Every attribute of an address that ip-address(8) takes. */
function addressEntry(entry: ShownAddress, name: string): KernelAddress {
  const { family, scope, metric, nodad, deprecated, address: peer, broadcast, label, protocol } = entry;
  const flags = takenFlags.filter((flag) => entry[flag] === true);
  const [valid, preferred] = [entry.valid_life_time ?? forEver, entry.preferred_life_time ?? forEver];
  const isTimed = valid !== forEver || (preferred !== forEver && preferred !== 0);
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
    ...(isTimed
      ? {
          validSeconds: valid === forEver ? null : valid,
          preferredSeconds: preferred === forEver ? null : preferred,
        }
      : {}),
  };
}

/** Not one that the kernel makes itself. */
function isListed({ family, scope }: ShownAddress): boolean {
  return scope !== 'host' && (family === 'inet' || scope !== 'link');
}

function prefixed({ local, prefixlen }: ShownAddress): string {
  return `${local}/${prefixlen}`;
}

/** Routes that the kernel and NetworkManager do not make by themselves. The agent's own have its metric or its protocol. */
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
    // One list a line, and an empty object in it for what it leaves out.
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as Shown[])));
  } catch {
    return [];
  }
}
