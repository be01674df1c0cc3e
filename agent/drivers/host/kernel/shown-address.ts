import type { KernelAddress, KernelEntries } from '../../../model/kernel-entries.ts';

/** Fields of `ip -json address` (iproute2, ip/ipaddress.c). A flag is present only if it is set. */
export interface ShownAddress {
  readonly family: string;
  readonly local: string;
  /** Address of the peer, the other end of a point-to-point link. */
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

/** Lifetime that means `forever` (INFINITY_LIFE_TIME in iproute2). */
const forEver = 4_294_967_295;

/**
 * Returns the lifetimes of an address. Returns an empty object if the address never expires and its preferred lifetime
 * is infinite or 0.
 */
export function lifetimesOf(entry: ShownAddress): Pick<KernelAddress, 'validSeconds' | 'preferredSeconds'> {
  const [valid, preferred] = [entry.valid_life_time ?? forEver, entry.preferred_life_time ?? forEver];
  if (valid === forEver && (preferred === forEver || preferred === 0)) return {};
  return {
    validSeconds: valid === forEver ? null : valid,
    preferredSeconds: preferred === forEver ? null : preferred,
  };
}

/**
 * Returns the same entries, except that each address that has lifetimes in `present`, the output of ip(8), gets these
 * lifetimes.
 */
export function keepLifetimes(entries: KernelEntries, present: readonly ShownAddress[]): KernelEntries {
  const timed = present.filter(({ dynamic }) => dynamic === true);
  const addresses = entries.addresses.map((entry) => {
    const own = timed.find((one) => prefixed(one) === entry.address);
    return own === undefined ? entry : { ...entry, ...lifetimesOf(own) };
  });
  return { ...entries, addresses };
}

/** Returns an address as `address/prefix`. */
export function prefixed({ local, prefixlen }: ShownAddress): string {
  return `${local}/${prefixlen}`;
}
