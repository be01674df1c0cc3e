/**
 * Entries that a program other than NetworkManager added to a link in the kernel: a keepalived address, routes of a
 * dispatcher script, MicroShift's address of the API server (10.44.0.0/32), masquerade addresses and service routes of
 * ovn-kubernetes. The kernel removes these entries when it removes the link's addresses, and it is not certain that the
 * other program ever adds them again.
 */
export interface KernelEntries {
  readonly interface: string;
  readonly addresses: readonly KernelAddress[];
  readonly routes: readonly KernelRoute[];
  /** Permanent neighbour entries. */
  readonly neighbours: readonly KernelNeighbour[];
  /**
   * Routing rules that name the interface, and routing rules of NetworkManager that lead to a routing table with other
   * programs' routes through the interface. Absent if empty.
   */
  readonly rules?: readonly KernelRule[];
  /**
   * Destinations of routes that the agent cannot add again, because they use a nexthop object, which is bound to an
   * interface (ip-nexthop(8)). Absent if empty.
   */
  readonly unmovable?: readonly string[];
}

/** Returns an empty set of entries for an interface. */
export function noEntries(interfaceName: string): KernelEntries {
  return { interface: interfaceName, addresses: [], routes: [], neighbours: [] };
}

/** Returns the entries that programs other than NetworkManager added to an interface. */
export function entriesOf(
  name: string,
  { foreign = [] }: { readonly foreign?: readonly KernelEntries[] | undefined },
): KernelEntries {
  return foreign.find((entries) => entries.interface === name) ?? noEntries(name);
}

/**
 * Returns true if an interface has no entries of other programs, apart from routes that the agent cannot add again
 * (`unmovable`).
 */
export function isEmpty({ addresses, routes, neighbours, rules = [] }: KernelEntries): boolean {
  return addresses.length + routes.length + neighbours.length + rules.length === 0;
}

export interface KernelAddress {
  /** Address in the form `address/prefix`. */
  readonly address: string;
  /** Metric of the connected route; null if the kernel chooses it. */
  readonly metric: number | null;
  /** True if duplicate address detection is off for the address. */
  readonly noDad: boolean;
  /** True if the kernel does not choose the address as a source by itself. */
  readonly deprecated: boolean;
  /**
   * True if the kernel lists one of the node's own IPv6 addresses before this address. The kernel then prefers the
   * node's own address as a source if no other rule decides. Absent otherwise.
   */
  readonly behindOwn?: true;
  /**
   * Address of the other end of a point-to-point link (ip-address(8), `peer`), to which the prefix length of `address`
   * applies. Absent if the address has no peer.
   */
  readonly peer?: string;
  /** Broadcast address. Absent if the address has none. */
  readonly broadcast?: string;
  /** Scope of the address. Absent if it is global, or follows from the kernel's rules for IPv6. */
  readonly scope?: string;
  /** Suffix of the label after the interface's name, such as `:vip`. Absent if the label adds nothing. */
  readonly label?: string;
  /**
   * Flags in the notation of ip-address(8): `noprefixroute`, `home`, `mngtmpaddr`, `autojoin`. Absent if no flag is
   * set.
   */
  readonly flags?: readonly string[];
  /** IFA_PROTO in the notation of ip-address(8). Absent if it is unspecified. */
  readonly protocol?: string;
  /**
   * Remaining valid and preferred lifetime at the time of reading; null if it is unlimited. Both lifetimes are absent
   * if neither is limited.
   */
  readonly validSeconds?: number | null;
  readonly preferredSeconds?: number | null;
}

export interface KernelRoute {
  /** Destination in CIDR notation; a default route is 0.0.0.0/0 or ::/0. */
  readonly destination: string;
  readonly gateway: string | null;
  readonly source: string | null;
  readonly metric: number | null;
  readonly mtuBytes: number | null;
  /** Name or number of the routing table, in the notation of ip-route(8); null for the table main. */
  readonly table: string | null;
  /** Type of the route: `local`, `broadcast`, … Absent for unicast. */
  readonly type?: string;
  /**
   * Scope of an IPv4 route. Absent if a version of the agent before 0.3 recorded the route; the scope is then the
   * default of ip-route(8).
   */
  readonly scope?: string;
  /** Routing protocol. Absent if it is `boot`. */
  readonly protocol?: string;
  /**
   * All other attributes in the notation of ip-route(8), word by word: `onlink`, `advmss 1000`, `mtu lock 1300`, `via
   * inet6 …`. Absent if empty.
   */
  readonly options?: readonly string[];
  /**
   * Next hops of a multipath route in the notation of ip-route(8), `via … dev … weight …`. Absent if the route has at
   * most one next hop.
   */
  readonly nextHops?: readonly (readonly string[])[];
}

export interface KernelNeighbour {
  readonly address: string;
  readonly mac: string;
}

export interface KernelRule {
  readonly family: 4 | 6;
  /** Routing rule in the notation of ip-rule(8), word by word, with its priority. */
  readonly words: readonly string[];
}

/** Returns the word after a key of a routing rule; undefined if the rule does not have the key. */
export function ruleValue({ words }: KernelRule, key: string): string | undefined {
  return words.includes(key) ? words[words.indexOf(key) + 1] : undefined;
}

/**
 * Returns the same entries for another interface. In routing rules and next hops, the name of that interface replaces
 * the old one.
 */
export function onInterface(entries: KernelEntries, name: string): KernelEntries {
  const { interface: former, rules, routes } = entries;
  const renamed = (words: readonly string[], keys: readonly string[]): readonly string[] =>
    words.map((word, index) => (word === former && keys.includes(words[index - 1] ?? '') ? name : word));
  return {
    ...entries,
    interface: name,
    routes: routes.map(({ nextHops, ...route }) =>
      nextHops === undefined ? route : { ...route, nextHops: nextHops.map((words) => renamed(words, ['dev'])) },
    ),
    ...(rules === undefined
      ? {}
      : { rules: rules.map(({ family, words }) => ({ family, words: renamed(words, ['iif', 'oif']) })) }),
  };
}

/**
 * Merges entries of two sources for one interface without duplicates. If both sources have an address, the entry of the
 * first source is used.
 */
export function joined(one: KernelEntries, other: KernelEntries): KernelEntries {
  const rules = union(one.rules ?? [], other.rules ?? []);
  const unmovable = union(one.unmovable ?? [], other.unmovable ?? []);
  const more = other.addresses.filter(({ address }) => !one.addresses.some((entry) => entry.address === address));
  return {
    interface: one.interface,
    addresses: [...one.addresses, ...more],
    routes: union(one.routes, other.routes),
    neighbours: union(one.neighbours, other.neighbours),
    ...(rules.length === 0 ? {} : { rules }),
    ...(unmovable.length === 0 ? {} : { unmovable }),
  };
}

/** Returns true if an address or a route has a limited lifetime. */
export function hasLifetimes({ addresses, routes }: KernelEntries): boolean {
  const isTimed = ({ validSeconds, preferredSeconds }: KernelAddress): boolean =>
    (validSeconds ?? null) !== null || (preferredSeconds ?? null) !== null;
  return addresses.some(isTimed) || routes.some(({ options = [] }) => options.includes('expires'));
}

/**
 * Returns the entries as the kernel has them some seconds later: their lifetimes are shorter, and those whose lifetime
 * is over are gone.
 */
export function afterSeconds(entries: KernelEntries, seconds: number): KernelEntries {
  const left = <T extends number | null | undefined>(lifetime: T): T | number =>
    typeof lifetime === 'number' ? Math.max(0, lifetime - seconds) : lifetime;
  return {
    ...entries,
    addresses: entries.addresses
      .map((entry) => {
        const { validSeconds, preferredSeconds, ...rest } = entry;
        if (validSeconds === undefined || preferredSeconds === undefined) return entry;
        return { ...rest, validSeconds: left(validSeconds), preferredSeconds: left(preferredSeconds) };
      })
      .filter(({ validSeconds }) => validSeconds !== 0),
    routes: entries.routes
      .map((route) => {
        const at = route.options?.indexOf('expires') ?? -1;
        if (route.options === undefined || at < 0) return route;
        return { ...route, options: route.options.with(at + 1, String(left(Number(route.options[at + 1])))) };
      })
      .filter(({ options = [] }) => !(options.includes('expires') && options[options.indexOf('expires') + 1] === '0')),
  };
}

function union<T>(one: readonly T[], other: readonly T[]): readonly T[] {
  const known = new Set(one.map((entry) => JSON.stringify(entry)));
  return [...one, ...other.filter((entry) => !known.has(JSON.stringify(entry)))];
}
