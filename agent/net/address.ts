import { isIPv4 } from 'node:net';

/** Address arithmetic on texts and numbers, without I/O. */

/** Returns the family of an IP address without a zone; null for any other text. */
export function familyOf(text: string): 4 | 6 | null {
  // IPv6 addresses are parsed as part of a URL. The pattern of isIPv6 in node:net is compiled at its first use, which
  // takes 11 ms of a run's 220 ms.
  if (!text.includes(':')) return isIPv4(text) ? 4 : null;
  return /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`) ? 6 : null;
}

/**
 * Returns the family of an IP address that may have a zone, `fe80::1%eth0` (RFC 4007 section 11); null for any other
 * text.
 */
export function familyOfZoned(text: string): 4 | 6 | null {
  const [, address = text, zone] = /^([^%]*)%([\w.:-]+)$/.exec(text) ?? [];
  const family = familyOf(address);
  return zone !== undefined && family === 4 ? null : family;
}

/** Returns the 16 bytes of an IPv6 address as a number (RFC 4291 section 2.2). */
export function ipv6Value(address: string): bigint {
  return groupsOf(address).reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);
}

/** Returns true for fe80::/10 (RFC 4291 section 2.5.6). */
export function isLinkLocal6(address: string): boolean {
  return /^fe[89ab]/i.test(address);
}

/**
 * Returns the low 64 bits of an IPv6 address as a token for NetworkManager, `::1:2:3:4` (RFC 4291 section 2.5.1); null
 * if the text is not an IPv6 address.
 */
export function interfaceIdentifier(address: string): string | null {
  return familyOf(address) === 6 ? token(groupsOf(address).slice(4)) : null;
}

/** Returns the modified EUI-64 interface identifier of a MAC (RFC 4291 appendix A), as a token for NetworkManager. */
export function eui64Identifier(mac: string): string {
  const bytes = mac.split(':').map((byte) => Number.parseInt(byte, 16));
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = bytes;
  return token([((a ^ 2) << 8) | b, (c << 8) | 0xff, 0xfe00 | d, (e << 8) | f]);
}

/** Converts the 32 hex digits of an IPv6 address to its canonical text form (RFC 5952 section 4). */
export function compressIpv6(hex: string): string {
  return canonicalIpv6((hex.match(/.{4}/g) ?? []).join(':'));
}

/** Returns an address in its canonical form; IPv6 as in RFC 5952. */
export function canonicalAddress(address: string): string {
  return familyOf(address) === 6 ? canonicalIpv6(address) : address;
}

function token(groups: readonly number[]): string {
  return `::${groups.map((group) => group.toString(16)).join(':')}`;
}

function groupsOf(address: string): readonly number[] {
  const [left = [], right = []] = canonicalIpv6(address)
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = new Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

/**
 * Returns an IPv6 address in the canonical form of RFC 5952 section 4. The host of a URL has this form, except that an
 * embedded IPv4 address (`::ffff:192.0.2.1`) becomes two groups of hex digits (WHATWG URL, section 3.5).
 */
function canonicalIpv6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/**
 * Returns an address as it is written before a port: an IPv6 address in brackets (ovsdb(7), RFC 3986 section 3.2.2).
 */
export function inBrackets(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
