import { compressIpv6, familyOf, ipv6Value } from './address.ts';

/** An address range as numbers. */
export interface AddressRange {
  readonly text: string;
  readonly family: 4 | 6;
  readonly prefixLength: number;
  readonly first: bigint;
  readonly last: bigint;
  /** False where bits of the host part are set, as in 10.42.0.1/16. */
  readonly canonical: boolean;
}

/** Parses 10.42.0.0/16 or fd01::/48; null for anything else. */
export function parseRange(text: string): AddressRange | null {
  const [, address = '', length = ''] = /^([^/]+)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? [];
  const family = familyOf(address);
  const prefixLength = Number(length);
  if (family === null || prefixLength > (family === 4 ? 32 : 128)) return null;
  const value = family === 4 ? ipv4Value(address) : ipv6Value(address);
  const hostMask = (1n << BigInt((family === 4 ? 32 : 128) - prefixLength)) - 1n;
  const first = value & ~hostMask;
  return { text, family, prefixLength, first, last: first | hostMask, canonical: first === value };
}

/** True when an address belongs to both. */
export function overlaps(a: AddressRange, b: AddressRange): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

/** The address behind the last one of a range: 10.43.0.0/16 → 10.44.0.0; null where none comes after it. */
export function addressAfter({ family, last }: AddressRange): string | null {
  const bits = family === 4 ? 32 : 128;
  const next = last + 1n;
  if (next >> BigInt(bits) !== 0n) return null;
  const hex = next.toString(16).padStart(bits / 4, '0');
  if (family === 6) return compressIpv6(hex);
  return (hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join('.');
}

function ipv4Value(address: string): bigint {
  return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}
