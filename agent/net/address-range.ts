import { compressIpv6, familyOf, ipv6Value } from './address.ts';

/** An address range as numbers. */
export interface AddressRange {
  readonly text: string;
  readonly family: 4 | 6;
  readonly prefixLength: number;
  readonly first: bigint;
  readonly last: bigint;
  /** False if bits of the host part are set, as in 10.42.0.1/16. */
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

/** Returns the range of one address: 10.42.0.5 → 10.42.0.5/32; null for text that is not an address. */
export function hostRange(address: string): AddressRange | null {
  return parseRange(`${address}/${address.includes(':') ? 128 : 32}`);
}

/** Returns true if the ranges have an address in common. */
export function overlaps(a: AddressRange, b: AddressRange): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

/**
 * Returns the ranges in canonical form, with the bits of the host part cleared, and without ranges within another
 * range. Text that is not a range is left out. IPv4 ranges come first, and the ranges of a family are in the order of
 * their addresses.
 */
export function disjointRanges(texts: readonly string[]): readonly string[] {
  const ranges = texts
    .flatMap((text) => parseRange(text) ?? [])
    .toSorted(
      (a, b) =>
        a.family - b.family || a.prefixLength - b.prefixLength || (a.first < b.first ? -1 : Number(a.first > b.first)),
    );
  const kept: AddressRange[] = [];
  for (const range of ranges) if (!kept.some((outer) => contains(outer, range))) kept.push(range);
  return kept.toSorted((a, b) => a.family - b.family || (a.first < b.first ? -1 : 1)).map(canonicalText);
}

/** Returns the text of a range with the bits of the host part cleared: 10.42.0.1/16 → 10.42.0.0/16. */
export function canonicalText({ text, family, prefixLength, first, canonical }: AddressRange): string {
  // The text of an IPv4 address has only one form.
  return canonical && family === 4 ? text : `${textOf(first, family)}/${prefixLength}`;
}

/** Returns true if the outer range contains every address of the inner one. */
export function contains(outer: AddressRange, inner: AddressRange): boolean {
  return outer.family === inner.family && outer.first <= inner.first && inner.last <= outer.last;
}

/**
 * Returns the address after the last one of each range: 10.43.0.0/16 → 10.44.0.0. Invalid ranges, and a range at the
 * end of all addresses of its family, are left out.
 */
export function addressesAfter(ranges: readonly string[]): readonly string[] {
  return ranges.flatMap((text) => {
    const range = parseRange(text);
    if (range === null) return [];
    const next = range.last + 1n;
    return next >> BigInt(range.family === 4 ? 32 : 128) === 0n ? [textOf(next, range.family)] : [];
  });
}

/** Returns the address at a position in a range: 1 in 10.42.0.0/24 → 10.42.0.1; null if the range ends before it. */
export function addressAt({ family, first, last }: AddressRange, place: number): string | null {
  const value = first + BigInt(place);
  return value <= last ? textOf(value, family) : null;
}

function textOf(value: bigint, family: 4 | 6): string {
  const hex = value.toString(16).padStart(family === 4 ? 8 : 32, '0');
  if (family === 6) return compressIpv6(hex);
  return (hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join('.');
}

function ipv4Value(address: string): bigint {
  return BigInt(address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0));
}

/** Returns the fewest ranges that together have exactly the addresses from `first` to `last`. */
export function rangesBetween({
  family,
  first,
  last,
}: Pick<AddressRange, 'family' | 'first' | 'last'>): readonly string[] {
  const bits = family === 4 ? 32 : 128;
  const ranges: string[] = [];
  let next = first;
  while (next <= last) {
    let hostBits = 0;
    while (hostBits < bits) {
      const size = 1n << BigInt(hostBits + 1);
      if (next % size !== 0n || next + size - 1n > last) break;
      hostBits += 1;
    }
    ranges.push(`${textOf(next, family)}/${bits - hostBits}`);
    next += 1n << BigInt(hostBits);
  }
  return ranges;
}
