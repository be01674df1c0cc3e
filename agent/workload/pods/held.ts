import type { ObjectKey } from '../../model/workload.ts';
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
  take(pod: ObjectKey, node: string, subnets: PodSubnets, asked: readonly string[]): boolean;
  release(pod: ObjectKey): void;
}

export function createHeldAddresses(): HeldAddresses {
  const addresses = new Map<ObjectKey, readonly string[]>();
  const holders = new Map<string, ObjectKey>();
  /** The place that was given last, by node. */
  const last = new Map<string, number>();
  /** In which none was found since somebody gave one back: who waits costs nothing. */
  const full = new Set<string>();

  /** After a restart: addresses are given upwards, so those that were had lately are likely to be before the highest one. */
  const highestPlace = (subnets: PodSubnets): number => {
    const places = [...holders.keys()].map((address) => Number(rangeWith(subnets, address)?.place ?? 0n));
    return places.reduce((highest, place) => (place > subnets.lastPlace ? highest : Math.max(highest, place)), 0);
  };
  /** Cyclic: what was given back is not given away again before all others were. */
  const nextFree = (node: string, subnets: PodSubnets, ranges: PodSubnets['ranges']): readonly string[] | null => {
    const key = ranges.map(({ text }) => text).join();
    if (full.has(key)) return null;
    let place = last.get(node) ?? highestPlace(subnets);
    for (let tried = 0; tried < placesIn(subnets); tried++) {
      place = placeAfter(subnets, place);
      const found = ranges.map((range) => addressOf(range, place));
      if (found.some((address) => holders.has(address))) continue;
      last.set(node, place);
      return found;
    }
    full.add(key);
    return null;
  };
  return {
    addresses,
    holderOf: (address) => holders.get(address) ?? null,
    take: (pod, node, subnets, asked) => {
      const found = asked.map((address) => rangeWith(subnets, address));
      const isFree = asked.every((address, index) => found[index]?.isUsable === true && !holders.has(address));
      const rest = subnets.ranges.filter((range) => !found.some((one) => one?.range === range));
      if (!isFree || rest.length + asked.length !== subnets.ranges.length) return false;
      const others = rest.length === 0 ? [] : nextFree(node, subnets, rest);
      if (others === null) return false;
      const all = [...asked, ...others];
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
