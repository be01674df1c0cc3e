import type { OverlayNode } from '../../model/overlay.ts';
import { familyOf } from '../../net/address.ts';
import { type AddressRange, addressAt, parseRange } from '../../net/address-range.ts';
import { isIpv6, rangeOf, withoutLength } from '../../overlay/addresses.ts';

/** The router and the node itself come before the pods (agent/overlay/node.ts). */
const firstPlace = 3;

/**
 * More than the pods that a node can run: a subnet of IPv6 has more places than anybody looks through. Up to it no two addresses of a subnet fold to one MAC
 * (macOf), as they differ in one of the four words only.
 */
const mostPlaces = 65_536;

/** The subnets of a node as pods get addresses from them. */
export interface PodSubnets {
  /** At most one of each family, IPv4 first. */
  readonly ranges: readonly AddressRange[];
  /** The last place that there is in all of them. */
  readonly lastPlace: number;
}

export function podSubnets({ subnets }: Pick<OverlayNode, 'subnets'>): PodSubnets {
  const ranges = subnets.toSorted((a, b) => Number(isIpv6(a)) - Number(isIpv6(b))).map(rangeOf);
  const lastPlaces = ranges.map((range) => Number(lastUsable(range) - range.first));
  return { ranges, lastPlace: Math.min(mostPlaces, ...lastPlaces) };
}

/** True where both are the same subnets. */
export function isSame(one: PodSubnets | undefined, other: PodSubnets | undefined): boolean {
  return one?.ranges.map(({ text }) => text).join() === other?.ranges.map(({ text }) => text).join();
}

/** The place after this one, and after the last one the first. */
export function placeAfter({ lastPlace }: PodSubnets, place: number): number {
  return place < firstPlace || place >= lastPlace ? firstPlace : place + 1;
}

/** How many places there are for pods. */
export function placesIn({ ranges, lastPlace }: PodSubnets): number {
  return ranges.length === 0 ? 0 : Math.max(0, lastPlace - firstPlace + 1);
}

/** The address at a place of a range. */
export function addressOf(range: AddressRange, place: number): string {
  return addressAt(range, place) ?? '';
}

/** The range that an address is in, and whether a pod may have it: a place that is the router's, the node's or everybody's is none. null: in none. */
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

/** The last address that is sure to have a MAC of its own, on a node whose pods have theirs from IPv6; null: every address has. */
export function lastWithOwnMac({ ranges }: PodSubnets): string | null {
  const range = ranges.find((one) => isFolded(one, ranges));
  return range === undefined ? null : addressAt(range, mostPlaces);
}

/** Whether MACs of pods follow from this range: the one that comes first counts. */
function isFolded(range: AddressRange, ranges: PodSubnets['ranges']): boolean {
  return range.family === 6 && range === ranges[0];
}

function lastUsable({ family, last }: AddressRange): bigint {
  // The last address of a subnet is everybody's (RFC 919); IPv6 has none such.
  return family === 4 ? last - 1n : last;
}

/** Returns the addresses that a pod of these subnets may have, without length; the input may have lengths. */
export function usableOf(subnets: PodSubnets, addresses: readonly string[]): readonly string[] {
  return addresses.map(withoutLength).filter((address) => rangeWith(subnets, address)?.isUsable === true);
}
