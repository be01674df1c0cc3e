import { isPortKey } from '../../model/overlay-port.ts';
import type { NamespacedName } from '../../model/workload.ts';
import type { AddressRange } from '../../net/address-range.ts';
import { addressOf, type PodSubnets, placeAfter, placesIn, rangeWith } from './subnets.ts';

/** Addresses, and the pods and overlay ports to which they are assigned. Each address is assigned once. */
export interface ReservedAddresses {
  /** Addresses of each pod that has any, with their prefix length, IPv4 first. */
  readonly addresses: ReadonlyMap<NamespacedName, readonly string[]>;
  holderOf(address: string): NamespacedName | null;
  /**
   * Assigns the addresses `asked` to a pod that has no addresses: at most one of each range, without prefix length.
   * From each range that contains no address in `asked`, the pod gets the next free address. Returns false and assigns
   * no address if one is not available.
   */
  take(pod: NamespacedName, subnets: PodSubnets, asked: readonly string[]): boolean;
  /**
   * Assigns exactly these addresses of the node's subnets to an overlay port, which may have any number of them.
   * Returns the holders that lose all of their addresses to the port.
   */
  hold(port: NamespacedName, subnets: PodSubnets, asked: readonly string[]): readonly NamespacedName[];
  release(pod: NamespacedName): void;
}

export function createReservedAddresses(): ReservedAddresses {
  const addresses = new Map<NamespacedName, readonly string[]>();
  const holders = new Map<string, NamespacedName>();
  /** Position of the last assigned address in each range. */
  const last = new Map<string, number>();
  /**
   * Ranges that had no free address at the last search. They are not searched again before an address is released, so
   * that waiting pods cost nothing.
   */
  const full = new Set<string>();

  /**
   * Returns the highest position in a range at which a pod has its address. After a restart the search continues there,
   * because addresses are assigned in ascending order and the most recently released ones are likely to be below it.
   * Overlay ports do not count, because they get the last addresses of a range.
   */
  const highestPlace = (subnets: PodSubnets, range: AddressRange): number => {
    const ofPods = [...holders].flatMap(([address, holder]) => (isPortKey(holder) ? [] : [address]));
    const found = ofPods.map((address) => rangeWith(subnets, address));
    const places = found.map((one) => (one?.range === range ? Number(one.place) : 0));
    return places.reduce((highest, place) => (place > subnets.lastPlace ? highest : Math.max(highest, place)), 0);
  };
  /**
   * Returns the position of the next free address of a range; null if all are assigned. The search is cyclic, so that a
   * released address is assigned again only after all others. Each range has its own search position, so that a request
   * in one range does not use up positions of the other.
   */
  const nextFree = (subnets: PodSubnets, range: AddressRange): number | null => {
    if (full.has(range.text)) return null;
    let place = last.get(range.text) ?? highestPlace(subnets, range);
    for (let tried = 0; tried < placesIn(subnets); tried++) {
      place = placeAfter(subnets, place);
      if (!holders.has(addressOf(range, place))) return place;
    }
    full.add(range.text);
    return null;
  };
  const release = (pod: NamespacedName): void => {
    const held = addresses.get(pod) ?? [];
    for (const address of held) holders.delete(address.replace(/\/.*/, ''));
    if (addresses.delete(pod)) full.clear();
  };
  return {
    addresses,
    holderOf: (address) => holders.get(address) ?? null,
    take: (pod, subnets, asked) => {
      const found = asked.map((address) => rangeWith(subnets, address));
      const isFree = asked.every((address, index) => found[index]?.isUsable === true && !holders.has(address));
      const rest = subnets.ranges.filter((range) => !found.some((one) => one?.range === range));
      if (!isFree || rest.length + asked.length !== subnets.ranges.length) return false;
      const others = rest.flatMap((range) => {
        const place = nextFree(subnets, range);
        return place === null ? [] : [{ range, place }];
      });
      if (others.length < rest.length) return false;
      for (const { range, place } of others) last.set(range.text, place);
      const all = [...asked, ...others.map(({ range, place }) => addressOf(range, place))];
      for (const address of all) holders.set(address, pod);
      addresses.set(pod, withLengths(all, subnets.ranges));
      return true;
    },
    hold: (port, { ranges }, asked) => {
      const wanted = withLengths(asked, ranges);
      if (String(addresses.get(port) ?? []) === String(wanted)) return [];
      release(port);
      const losers = [...new Set(asked.flatMap((address) => holders.get(address) ?? []))];
      losers.forEach(release);
      for (const address of asked) holders.set(address, port);
      addresses.set(port, wanted);
      return losers;
    },
    release,
  };
}

/** Returns the addresses with the prefix lengths of their ranges, IPv4 first. */
function withLengths(addresses: readonly string[], ranges: PodSubnets['ranges']): readonly string[] {
  return ranges.flatMap(({ family, prefixLength }) =>
    addresses.filter((one) => one.includes(':') === (family === 6)).map((one) => `${one}/${prefixLength}`),
  );
}
