import { AgentError } from '../errors.ts';
import { addressesOf, type Link } from '../model/observation.ts';
import { familyOf, ipv6Value } from '../net/address.ts';
import { type AddressRange, addressAt, contains, parseRange } from '../net/address-range.ts';

/** A range that must be one: nothing is planned from anything else. */
export function rangeOf(text: string): AddressRange {
  const range = parseRange(text);
  if (range !== null) return range;
  throw new AgentError('overlay-conflict', `${text} is no range of addresses`, {
    hint: 'write it as 10.42.0.0/24 or fd01::/64',
  });
}

/** The address at a place of a subnet; a subnet that ends before it is refused. */
export function addressIn(subnet: string, place: number): string {
  const address = addressAt(rangeOf(subnet), place);
  if (address !== null) return address;
  throw new AgentError('overlay-conflict', `${subnet} is too small, it has no address number ${place}`, {
    hint: 'choose a larger one',
  });
}

/** The same with the length of the subnet: `10.42.0.1/24`. */
export function interfaceAddress(subnet: string, place: number): string {
  return `${addressIn(subnet, place)}/${rangeOf(subnet).prefixLength}`;
}

/** `10.42.0.1/24` → `10.42.0.1`. */
export function withoutLength(address: string): string {
  return address.replace(/\/.*/, '');
}

/** `10.42.0.1/24` → `10.42.0.0/24`. */
export function subnetOf(network: string): string {
  const range = rangeOf(network);
  return `${addressAt(range, 0)}/${range.prefixLength}`;
}

export function isIpv6(address: string): boolean {
  return address.includes(':');
}

/** The addresses of a link that others can reach, with their length. */
export function globalAddresses(link: Link): readonly string[] {
  return addressesOf(link, ({ scope }) => scope === 'global');
}

/** Of addresses or subnets the one of the same family; null where there is none. */
export function sameFamily(list: readonly string[], other: string): string | null {
  return list.find((entry) => isIpv6(entry) === isIpv6(other)) ?? null;
}

/** True for an address within a subnet. */
export function isWithin(address: string, subnet: string): boolean {
  const range = rangeOf(subnet);
  const one = parseRange(`${address}/${range.family === 4 ? 32 : 128}`);
  return one !== null && contains(range, one);
}

/**
 * The MAC that goes with an address: 0a:58 and the four bytes of IPv4 (ovn-kubernetes, docs of its address allocation), which needs no
 * memory. The sixteen bytes of IPv6 are folded to four.
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

/** An address that one host of a LAN can have (RFC 6890: not this host, loopback or a group). */
export function isHost(address: string): boolean {
  const family = familyOf(address);
  if (family === 6) return !/^(::|::1|ff.*)$/i.test(address);
  const first = Number(address.split('.')[0]);
  return family === 4 && first > 0 && first !== 127 && first < 224;
}
