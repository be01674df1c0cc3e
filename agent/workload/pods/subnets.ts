import type { OverlayNode } from '../../model/overlay.ts';
import { familyOf } from '../../net/address.ts';
import { type AddressRange, addressAt, parseRange } from '../../net/address-range.ts';
import { isIpv6, rangeOf, withoutLength } from '../../overlay/addresses.ts';

/**
 * Position of the first address for pods in a range; the router and the node have the addresses before it
 * (agent/overlay/cluster/node-rows.ts).
 */
export const firstPlace = 3;

/**
 * Largest position of an address for a pod. It exceeds the number of pods that a node can run, and it limits the search
 * in an IPv6 subnet. Up to this position, the addresses of a subnet differ in only one of the four 32-bit words from
 * which a MAC is derived (macOf), so that their MACs differ as well.
 */
const mostPlaces = 65_536;

/** Subnets of a node from which pods get addresses. */
export interface PodSubnets {
  /** Subnets as ranges: at most one of each family, IPv4 first. */
  readonly ranges: readonly AddressRange[];
  /** Position of the last address that pods can have in every range. */
  readonly lastPlace: number;
}

export function podSubnets({ subnets }: Pick<OverlayNode, 'subnets'>): PodSubnets {
  const ranges = subnets.toSorted((a, b) => Number(isIpv6(a)) - Number(isIpv6(b))).map(rangeOf);
  const lastPlaces = ranges.map((range) => Number(lastUsable(range) - range.first));
  return { ranges, lastPlace: Math.min(mostPlaces, ...lastPlaces) };
}

/** Returns true if the two arguments contain the same subnets. */
export function isSame(one: PodSubnets | undefined, other: PodSubnets | undefined): boolean {
  return one?.ranges.map(({ text }) => text).join() === other?.ranges.map(({ text }) => text).join();
}

/** Returns the position of the next address for pods; the first position follows the last. */
export function placeAfter({ lastPlace }: PodSubnets, place: number): number {
  return place < firstPlace || place >= lastPlace ? firstPlace : place + 1;
}

/** Returns the number of addresses for pods in each range; 0 without a range. */
export function placesIn({ ranges, lastPlace }: PodSubnets): number {
  return ranges.length === 0 ? 0 : Math.max(0, lastPlace - firstPlace + 1);
}

/** Returns the address at a position of a range. */
export function addressOf(range: AddressRange, place: number): string {
  return addressAt(range, place) ?? '';
}

/**
 * Returns the range that contains an address, the address's position in it, and whether a pod may have the address.
 * Pods do not get the addresses of the router and the node, the broadcast address, and IPv6 addresses whose MAC may be
 * that of another address. Null if no range contains the address.
 */
export function rangeWith(
  { ranges }: PodSubnets,
  address: string,
): { readonly range: AddressRange; readonly place: bigint; readonly isUsable: boolean } | null {
  const family = familyOf(address);
  const value = parseRange(`${address}/${family === 6 ? 128 : 32}`)?.first;
  const range = ranges.find((one) => one.family === family);
  if (range === undefined || value === undefined || value < range.first || value > range.last) return null;
  const place = value - range.first;
  const hasOwnMac = !isFolded(range, ranges) || place <= mostPlaces;
  return { range, place, isUsable: place >= firstPlace && value <= lastUsable(range) && hasOwnMac };
}

/**
 * Returns the last pod address of an IPv6 range whose MAC certainly differs from the MACs of all addresses before it;
 * null on a node whose pods' MACs are derived from IPv4, where all MACs differ.
 */
export function lastWithOwnMac({ ranges }: PodSubnets): string | null {
  const range = ranges.find((one) => isFolded(one, ranges));
  return range === undefined ? null : addressAt(range, mostPlaces);
}

/**
 * Returns true for an IPv6 range from which the MACs of pods are derived; several addresses of such a range yield the
 * same MAC. MACs are derived from the first range of a node.
 */
function isFolded(range: AddressRange, ranges: PodSubnets['ranges']): boolean {
  return range.family === 6 && range === ranges[0];
}

function lastUsable({ family, last }: AddressRange): bigint {
  // The last address of an IPv4 subnet is the broadcast address (RFC 919); IPv6 has no broadcast address.
  return family === 4 ? last - 1n : last;
}

/** Returns those of `addresses` that a pod of a node with these subnets may have, without prefix length. */
export function usableOf(subnets: PodSubnets, addresses: readonly string[]): readonly string[] {
  return addresses.map(withoutLength).filter((address) => rangeWith(subnets, address)?.isUsable === true);
}
