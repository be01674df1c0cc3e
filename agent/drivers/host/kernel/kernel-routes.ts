import type { KernelRoute, KernelRule } from '../../../model/kernel-entries.ts';

/*
 * Parser for routes and policy rules in the text format of `ip -oneline -details`, which ip(8) also accepts as input.
 * The text contains more than the JSON format does: locked metrics, and the attributes of encapsulations, whose keys in
 * JSON are the same as those of the route itself (iproute2, ip/iproute.c).
 */

/**
 * Protocols of routes that the kernel and NetworkManager derive from an address, a lease or an advertisement
 * (rtnetlink(7), rtm_protocol).
 */
const configured: readonly string[] = ['kernel', 'dhcp', 'ra', 'redirect'];
/** Types of a route (ip-route(8)); a route without one is unicast. */
const types: readonly string[] = [
  'unicast',
  'local',
  'broadcast',
  'multicast',
  'anycast',
  'throw',
  'unreachable',
  'prohibit',
  'blackhole',
  'nat',
];
/** States of a route that ip(8) prints but does not accept as input. */
const states: readonly string[] = [
  'dead',
  'linkdown',
  'pervasive',
  'offload',
  'offload_failed',
  'rt_offload',
  'rt_offload_failed',
  'rt_trap',
  'trap',
  'notify',
  'unresolved',
];

/** A route in a routing table of the kernel, and the interfaces to which it leads. */
export interface ShownRoute {
  readonly interfaces: readonly string[];
  readonly route: KernelRoute;
  /** True if the route uses a nexthop object (ip-nexthop(8)), which is bound to an interface. Absent otherwise. */
  readonly byObject?: true;
}

/**
 * Parses a line of `ip -oneline -details route show table all`. Returns null if the protocol of the route is one that
 * the kernel or NetworkManager uses for routes from an address, a lease or an advertisement, or if the route leads to
 * no interface.
 */
export function parseRoute(line: string): ShownRoute | null {
  const [first = '', ...hops] = line.split('\\').map((part) => part.trim().split(/\s+/));
  const words = (first as readonly string[]).filter((word) => !states.includes(word));
  const type = types.includes(words[0] ?? '') ? words[0] : undefined;
  const [destination = '', ...rest] = type === undefined ? words : words.slice(1);
  const taken = takeOut(rest, ['dev', 'table', 'proto', 'scope', 'src', 'metric']);
  const { dev, table, proto = 'boot', scope, src, metric } = taken.values;
  const isIpv6 = destination.includes(':') || taken.rest.includes('pref');
  const plainGateway = takeGateway(taken.rest);
  const plainMtu = takeMtu(plainGateway.rest);
  const nextHops = hops.filter((hop) => hop[0] === 'nexthop').map((hop) => withoutStates(hop.slice(1)));
  const interfaces = [...(dev === undefined ? [] : [dev]), ...nextHops.map((hop) => hop[hop.indexOf('dev') + 1] ?? '')];
  if (configured.includes(proto) || interfaces.length === 0) return null;
  const options = withoutDefaults(plainMtu.rest);
  return {
    interfaces: [...new Set(interfaces)],
    ...(rest.includes('nhid') ? { byObject: true as const } : {}),
    route: {
      destination: prefixed(destination, isIpv6),
      gateway: plainGateway.gateway,
      source: src ?? null,
      metric: metric === undefined ? null : Number(metric),
      mtuBytes: plainMtu.mtuBytes,
      table: table === undefined || table === 'main' ? null : table,
      ...(type === undefined || type === 'unicast' ? {} : { type }),
      ...(isIpv6 || scope === undefined ? {} : { scope }),
      ...(proto === 'boot' ? {} : { protocol: proto }),
      ...(options.length === 0 ? {} : { options }),
      ...(nextHops.length === 0 ? {} : { nextHops }),
    },
  };
}

/**
 * Parses a line of `ip -oneline -details rule show`; null if the line does not describe a rule, or if the rule is the
 * kernel's own.
 */
export function parseRule(line: string, family: 4 | 6): KernelRule | null {
  const [, priority, text] = /^(\d+):\s+(.*)$/.exec(line) ?? [];
  if (priority === undefined || text === undefined) return null;
  const words = text
    .replace('lookup [l3mdev-table]', 'l3mdev')
    .replace(/\s+proto unspec\b/, '')
    .split(/\s+/)
    .filter((word) => word !== '' && word !== '[detached]' && word !== 'unresolved');
  const isKernels = words[words.indexOf('proto') + 1] === 'kernel' && words.includes('proto');
  return isKernels ? null : { family, words: ['pref', priority, ...words] };
}

/** Splits the words of a route or rule: returns the values of the given keywords, and all other words as `rest`. */
function takeOut(
  words: readonly string[],
  keys: readonly string[],
): { readonly values: Readonly<Record<string, string>>; readonly rest: readonly string[] } {
  const values: Record<string, string> = {};
  const rest: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const value = words[index + 1];
    // The keyword `src` can also belong to an encapsulation; it is then the source of that encapsulation, and not of
    // the route.
    const isOfEncap = word === 'src' && rest.includes('encap') && !rest.includes('via') && words.includes('via', index);
    if (keys.includes(word) && value !== undefined && values[word] === undefined && !isOfEncap) {
      values[word] = value;
      index += 1;
    } else rest.push(word);
  }
  return { values, rest };
}

/**
 * Returns the gateway of a route if it has the address family of the route's destination. A gateway of the other family
 * (`via inet6 …`) stays in `rest`.
 */
function takeGateway(words: readonly string[]): { readonly gateway: string | null; readonly rest: readonly string[] } {
  const at = words.indexOf('via');
  const gateway = words[at + 1];
  if (at < 0 || gateway === undefined || gateway === 'inet' || gateway === 'inet6')
    return { gateway: null, rest: words };
  return { gateway, rest: [...words.slice(0, at), ...words.slice(at + 2)] };
}

function takeMtu(words: readonly string[]): { readonly mtuBytes: number | null; readonly rest: readonly string[] } {
  const at = words.indexOf('mtu');
  const value = words[at + 1] ?? '';
  // A locked MTU (`mtu lock 1300`) stays in `rest`.
  if (at < 0 || !/^\d+$/.test(value)) return { mtuBytes: null, rest: words };
  return { mtuBytes: Number(value), rest: [...words.slice(0, at), ...words.slice(at + 2)] };
}

/**
 * Converts attributes that ip(8) prints to attributes that it accepts: removes the unit of `expires 3999sec`, and the
 * default preference `medium` of IPv6 routes.
 */
function withoutDefaults(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const [before = '', after = ''] = [words[index - 1], words[index + 1]];
    if ((word === 'pref' && after === 'medium') || (before === 'pref' && word === 'medium')) return [];
    if (before === 'expires') return [word.replace(/sec$/, '')];
    // ip(8) locks every rto_min that it gets, so the word `lock` is not necessary.
    if (before === 'rto_min' && word === 'lock') return [];
    return [word];
  });
}

function withoutStates(words: readonly string[]): readonly string[] {
  return words.filter((word) => !states.includes(word));
}

function prefixed(destination: string, isIpv6: boolean): string {
  if (destination === 'default') return isIpv6 ? '::/0' : '0.0.0.0/0';
  return destination.includes('/') ? destination : `${destination}/${isIpv6 ? 128 : 32}`;
}
