import type { KernelRoute, KernelRule } from '../../model/kernel-entries.ts';

/*
 * Routes and policy rules as `ip -oneline -details` shows them. The text is what ip(8) takes, and has more than its JSON: which metrics are locked, and
 * encapsulations, whose keys are those of the route in JSON (iproute2, ip/iproute.c).
 */

/** Protocols of routes that the kernel and NetworkManager make of an address, a lease or an advertisement (rtnetlink(7), rtm_protocol). */
const configured: readonly string[] = ['kernel', 'dhcp', 'ra', 'redirect'];
/** Types of a route, without which one is unicast (ip-route(8)). */
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
/** States that are shown and not taken. */
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

/** A route of a table of the kernel, and the interfaces that it leads to. */
export interface ShownRoute {
  readonly interfaces: readonly string[];
  readonly route: KernelRoute;
  /** It is by a nexthop object (ip-nexthop(8)), which is bound to an interface. Absent: it is not. */
  readonly byObject?: true;
}

/** Reads a line of `ip -oneline -details route show table all`; null: it is the kernel's or NetworkManager's, or leads to no interface. */
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

/** Reads a line of `ip -oneline -details rule show`; null: it is the kernel's own. */
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

/** Values of words that have one, and what is left. */
function takeOut(
  words: readonly string[],
  keys: readonly string[],
): { readonly values: Readonly<Record<string, string>>; readonly rest: readonly string[] } {
  const values: Record<string, string> = {};
  const rest: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const value = words[index + 1];
    // The source of an encapsulation has the name of the route's.
    const isOfEncap = word === 'src' && rest.includes('encap') && !rest.includes('via') && words.includes('via', index);
    if (keys.includes(word) && value !== undefined && values[word] === undefined && !isOfEncap) {
      values[word] = value;
      index += 1;
    } else rest.push(word);
  }
  return { values, rest };
}

/** A gateway of the route's own family; one of the other stays with the options, `via inet6 …`. */
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
  // `mtu lock 1300` stays as it is.
  if (at < 0 || !/^\d+$/.test(value)) return { mtuBytes: null, rest: words };
  return { mtuBytes: Number(value), rest: [...words.slice(0, at), ...words.slice(at + 2)] };
}

/** Attributes as they are taken: `expires 3999sec` is shown with its unit, and an IPv6 route has the preference `medium` where nothing else is asked for. */
function withoutDefaults(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const [before = '', after = ''] = [words[index - 1], words[index + 1]];
    if ((word === 'pref' && after === 'medium') || (before === 'pref' && word === 'medium')) return [];
    if (before === 'expires') return [word.replace(/sec$/, '')];
    // The time is locked by being given.
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
