import { AgentError } from '../errors.ts';
import { addressesOf, type Link } from '../model/observation.ts';
import { familyOf, ipv6Value } from '../net/address.ts';
import { type AddressRange, addressAt, canonicalText, contains, hostRange, parseRange } from '../net/address-range.ts';

/** Parses a range of addresses. Throws for text that is not a range. */
export function rangeOf(text: string): AddressRange {
  const range = parseRange(text);
  if (range !== null) return range;
  throw new AgentError('overlay-conflict', `${text} is not a range of addresses`, {
    hint: 'write it as 10.42.0.0/24 or fd01::/64',
  });
}

/**
 * Returns the address number `place` of a subnet: number 1 of `10.42.0.0/24` is `10.42.0.1`. Throws for a subnet that
 * is too small.
 */
export function addressIn(subnet: string, place: number): string {
  const address = addressAt(rangeOf(subnet), place);
  if (address !== null) return address;
  throw new AgentError('overlay-conflict', `${subnet} is too small, it has no address number ${place}`, {
    hint: 'choose a larger one',
  });
}

/** Returns the address number `place` of a subnet, with the prefix length of the subnet: `10.42.0.1/24`. */
export function interfaceAddress(subnet: string, place: number): string {
  return `${addressIn(subnet, place)}/${rangeOf(subnet).prefixLength}`;
}

/** Removes the prefix length: `10.42.0.1/24` → `10.42.0.1`. */
export function withoutLength(address: string): string {
  return address.replace(/\/.*/, '');
}

/** Returns the subnet of an interface address: `10.42.0.1/24` → `10.42.0.0/24`. */
export function subnetOf(network: string): string {
  return canonicalText(rangeOf(network));
}

export function isIpv6(address: string): boolean {
  return address.includes(':');
}

/** Returns the addresses of a link that have global scope, with their prefix lengths. */
export function globalAddresses(link: Link): readonly string[] {
  return addressesOf(link, ({ scope }) => scope === 'global');
}

/**
 * Returns the first address or subnet of the list that has the same family as `other`; null if no entry has this
 * family.
 */
export function sameFamily(list: readonly string[], other: string): string | null {
  return list.find((entry) => isIpv6(entry) === isIpv6(other)) ?? null;
}

/** Returns true if an address is within a subnet. */
export function isWithin(address: string, subnet: string): boolean {
  const range = rangeOf(subnet);
  const one = hostRange(address);
  return one !== null && contains(range, one);
}

/**
 * Returns a MAC that is derived from an address and therefore does not have to be stored: 0a:58 and the four bytes of
 * an IPv4 address, as in ovn-kubernetes (go-controller/pkg/util/net.go, IPAddrToHWAddr). The sixteen bytes of an IPv6
 * address are folded to four by XOR.
 */
export function macOf(address: string): string {
  const value =
    familyOf(address) === 6
      ? folded(ipv6Value(address))
      : address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const bytes = value.toString(16).padStart(8, '0').match(/../g) ?? [];
  return ['0a', '58', ...bytes].join(':');
}

function folded(value: bigint): bigint {
  const words = [96n, 64n, 32n, 0n].map((shift) => (value >> shift) & 0xffffffffn);
  return words.reduce((sum, word) => sum ^ word, 0n);
}

/**
 * Returns true if one host of a LAN can have the address (RFC 6890): it is not unspecified, loopback or multicast, and
 * for IPv4 not in 0.0.0.0/8 or the reserved 240.0.0.0/4.
 */
export function isHost(address: string): boolean {
  const family = familyOf(address);
  if (family === 6) return !/^(::|::1|ff.*)$/i.test(address);
  const first = Number(address.split('.')[0]);
  return family === 4 && first > 0 && first !== 127 && first < 224;
}
