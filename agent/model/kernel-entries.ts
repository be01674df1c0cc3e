/**
 * Entries that a program other than NetworkManager added to a link in the kernel: a keepalived address, routes of a dispatcher script, MicroShift's
 * address of the API server (10.44.0.0/32), masquerade addresses and service routes of ovn-kubernetes. They are removed with the link's addresses,
 * and the program that added them does not check again.
 */
export interface KernelEntries {
  readonly interface: string;
  readonly addresses: readonly KernelAddress[];
  readonly routes: readonly KernelRoute[];
  /** Permanent ones. */
  readonly neighbours: readonly KernelNeighbour[];
  /** Policy rules that name the interface, or that lead to its routes and would go with NetworkManager's own. Absent: none. */
  readonly rules?: readonly KernelRule[];
  /** Routes that ip(8) cannot express again (nexthop objects), in its words. Absent: none. */
  readonly unmovable?: readonly string[];
}

/** An interface to which no other program has given anything. */
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

/** True where there is nothing to give to an interface. */
export function isEmpty({ addresses, routes, neighbours, rules = [] }: KernelEntries): boolean {
  return addresses.length + routes.length + neighbours.length + rules.length === 0;
}

export interface KernelAddress {
  /** `address/prefix` */
  readonly address: string;
  /** Metric of its connected route; null: the kernel's own choice. */
  readonly metric: number | null;
  /** Not checked for duplicates. */
  readonly noDad: boolean;
  /** Not used as a source unless asked for. */
  readonly deprecated: boolean;
  /** IPv6: the kernel lists one of the node's own before it, which it prefers as a source where nothing else decides. Absent: it does not. */
  readonly behindOwn?: true;
  /** Address of the other end, whose prefix length `address` has then. Absent: none. */
  readonly peer?: string;
  /** Absent: none. */
  readonly broadcast?: string;
  /** Absent: global, or by the kernel's rules for IPv6. */
  readonly scope?: string;
  /** Suffix of the label after the interface's name, such as `:vip`. Absent if the label adds nothing. */
  readonly label?: string;
  /** `noprefixroute`, `home`, `mngtmpaddr`, `autojoin`, as ip-address(8) takes them. Absent: none. */
  readonly flags?: readonly string[];
  /** IFA_PROTO, as ip-address(8) takes it. Absent: unspecified. */
  readonly protocol?: string;
  /** When it was read; null: for ever. Absent: both for ever. */
  readonly validSeconds?: number | null;
  readonly preferredSeconds?: number | null;
}

export interface KernelRoute {
  /** CIDR; a default route is 0.0.0.0/0 or ::/0. */
  readonly destination: string;
  readonly gateway: string | null;
  readonly source: string | null;
  readonly metric: number | null;
  readonly mtuBytes: number | null;
  /** Name or number, as ip-route(8) takes it; null: main. */
  readonly table: string | null;
  /** `local`, `broadcast`, … Absent: unicast. */
  readonly type?: string;
  /** IPv4. Absent: in records of agents before 0.3, by the rules of ip-route(8). */
  readonly scope?: string;
  /** Absent: boot. */
  readonly protocol?: string;
  /** Every other attribute as ip-route(8) shows and takes it, word by word: `onlink`, `advmss 1000`, `mtu lock 1300`, `via inet6 …`. Absent: none. */
  readonly options?: readonly string[];
  /** Next hops of a multipath route as ip-route(8) takes them, `via … dev … weight …`. Absent: one next hop, or none. */
  readonly nextHops?: readonly (readonly string[])[];
}

export interface KernelNeighbour {
  readonly address: string;
  readonly mac: string;
}

export interface KernelRule {
  readonly family: 4 | 6;
  /** As ip-rule(8) shows and takes it, word by word, with its priority. */
  readonly words: readonly string[];
}

/** The word behind a key of a rule; undefined: it has none. */
export function ruleValue({ words }: KernelRule, key: string): string | undefined {
  return words.includes(key) ? words[words.indexOf(key) + 1] : undefined;
}

/** The same entries for another interface: rules and next hops that name the first name the second. */
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

/** Entries of two sources for one interface, each once; the first source's where both have one. */
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

function union<T>(one: readonly T[], other: readonly T[]): readonly T[] {
  const known = new Set(one.map((entry) => JSON.stringify(entry)));
  return [...one, ...other.filter((entry) => !known.has(JSON.stringify(entry)))];
}
