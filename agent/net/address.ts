import { isIP } from 'node:net';

/** Address arithmetic: text in, text or numbers out; no I/O. */

/** 4 or 6; null for anything that is no address literal. */
export function familyOf(address: string): 4 | 6 | null {
  // An IPv6 address may name its zone to Node, and to nobody else here.
  const family = address.includes('%') ? 0 : isIP(address);
  return family === 4 || family === 6 ? family : null;
}

/** The 16 bytes of an IPv6 address as a bigint (RFC 4291 section 2.2); null when malformed. */
export function parseIpv6(address: string): bigint | null {
  const halves = address.split('::');
  if (halves.length > 2) return null;
  const [head = '', tail = ''] = halves;
  const left = groupsOf(head);
  const right = groupsOf(tail);
  if (left === null || right === null) return null;
  const missing = 8 - left.length - right.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...left, ...new Array<number>(missing).fill(0), ...right];
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);
}

/** True for fe80::/10 (RFC 4291 section 2.5.6). */
export function isLinkLocal6(address: string): boolean {
  return /^fe[89ab]/i.test(address);
}

/** The low 64 bits as a token NetworkManager accepts, `::1:2:3:4` (RFC 4291 section 2.5.1). */
export function interfaceIdentifier(address: string): string | null {
  const value = parseIpv6(address);
  if (value === null) return null;
  const groups = [48n, 32n, 16n, 0n].map((shift) => ((value >> shift) & 0xffffn).toString(16));
  return `::${groups.join(':')}`;
}

/** The modified EUI-64 interface identifier of a MAC (RFC 4291 appendix A), as interfaceIdentifier writes it. */
export function eui64Identifier(mac: string): string {
  const bytes = mac.split(':').map((byte) => Number.parseInt(byte, 16));
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = bytes;
  const groups = [((a ^ 2) << 8) | b, (c << 8) | 0xff, 0xfe00 | d, (e << 8) | f];
  return `::${groups.map((group) => group.toString(16)).join(':')}`;
}

function groupsOf(text: string): number[] | null {
  if (text === '') return [];
  const groups: number[] = [];
  for (const part of text.split(':')) {
    if (part.includes('.')) {
      const bytes = part.split('.').map(Number);
      if (bytes.length !== 4 || bytes.some((byte) => !(byte >= 0 && byte <= 255))) return null;
      const [a = 0, b = 0, c = 0, d = 0] = bytes;
      groups.push((a << 8) | b, (c << 8) | d);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return null;
  }
  return groups;
}

/** 32 hex digits → the canonical text form (RFC 5952 section 4). */
export function compressIpv6(hex: string): string {
  const groups = (hex.match(/.{4}/g) ?? []).map((group) => Number.parseInt(group, 16).toString(16));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0;
    while (groups[start + length] === '0') length += 1;
    if (length > best.length) best = { start, length };
  }
  if (best.start < 0) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}
