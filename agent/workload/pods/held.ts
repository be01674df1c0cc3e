import type { ObjectKey } from '../../model/workload.ts';
import type { AddressRange } from '../../net/address-range.ts';
import { addressOf, type PodSubnets, placeAfter, placesIn, rangeWith } from './subnets.ts';

/** Addresses and who has them; no two pods have one. */
export interface HeldAddresses {
  /** Of each pod that has some, with their length, IPv4 first. */
  readonly addresses: ReadonlyMap<ObjectKey, readonly string[]>;
  holderOf(address: string): ObjectKey | null;
  /**
   * Gives a pod that has none these addresses, without length and at most one of each range, and of each other range of its node the next that is free.
   * False: one of them cannot be had, and it gets none.
   */
  take(pod: ObjectKey, subnets: PodSubnets, asked: readonly string[]): boolean;
  release(pod: ObjectKey): void;
}

export function createHeldAddresses(): HeldAddresses {
  const addresses = new Map<ObjectKey, readonly string[]>();
  const holders = new Map<string, ObjectKey>();
  /** The place that was given last, by range. */
  const last = new Map<string, number>();
  /** In which none was found since somebody gave one back: who waits costs nothing. */
  const full = new Set<string>();

  /** After a restart: addresses are given upwards, so those that were had lately are likely to be before the highest one. */
  const highestPlace = (subnets: PodSubnets, range: AddressRange): number => {
    const found = [...holders.keys()].map((address) => rangeWith(subnets, address));
    const places = found.map((one) => (one?.range === range ? Number(one.place) : 0));
    return places.reduce((highest, place) => (place > subnets.lastPlace ? highest : Math.max(highest, place)), 0);
  };
  /**
   * Cyclic: what was given back is not given away again before all others were. Each range by itself: who asked for an address of one takes no place of
   * the other from anybody.
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
      const ordered = subnets.ranges.flatMap(({ family, prefixLength }) =>
        all.filter((one) => one.includes(':') === (family === 6)).map((one) => `${one}/${prefixLength}`),
      );
      addresses.set(pod, ordered);
      return true;
    },
    release: (pod) => {
      const held = addresses.get(pod) ?? [];
      for (const address of held) holders.delete(address.replace(/\/.*/, ''));
      if (addresses.delete(pod)) full.clear();
    },
  };
}
