import { type AddressRange, parseRange, rangesBetween } from './address-range.ts';

/** Consecutive addresses of a family, both ends included. */
export type Span = Pick<AddressRange, 'family' | 'first' | 'last'>;

/** Returns the addresses of these ranges; ranges that cannot be parsed are left out. */
export function spansOf(ranges: readonly string[]): readonly Span[] {
  return ranges.flatMap((text) => parseRange(text) ?? []).map(({ family, first, last }) => ({ family, first, last }));
}

/** Returns the addresses of `spans` that are not in `others`. */
export function withoutSpans(spans: readonly Span[], others: readonly Span[]): readonly Span[] {
  return others.reduce<readonly Span[]>(
    (left, other) =>
      left.flatMap((span) => {
        if (!meet(span, other)) return [span];
        const before = { ...span, last: other.first - 1n };
        const after = { ...span, first: other.last + 1n };
        return [before, after].filter(({ first, last }) => first <= last);
      }),
    spans,
  );
}

/** Returns the addresses that both lists have. */
export function commonSpans(spans: readonly Span[], others: readonly Span[]): readonly Span[] {
  return spans.flatMap((span) =>
    others
      .filter((other) => meet(span, other))
      .map((other) => ({
        family: span.family,
        first: larger(span.first, other.first),
        last: -larger(-span.last, -other.last),
      })),
  );
}

/** Returns true if one of the spans contains the address. */
export function spansContain(spans: readonly Span[], address: string): boolean {
  const [one] = spansOf([`${address}/${address.includes(':') ? 128 : 32}`]);
  return one !== undefined && spans.some((span) => meet(span, one));
}

/** Returns the fewest ranges that have exactly the addresses of the spans, sorted. */
export function rangesOf(spans: readonly Span[]): readonly string[] {
  const merged: Span[] = [];
  const sorted = spans.toSorted((a, b) => a.family - b.family || (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  for (const span of sorted) {
    const before = merged.at(-1);
    if (before?.family === span.family && span.first <= before.last + 1n)
      merged[merged.length - 1] = { ...before, last: larger(span.last, before.last) };
    else merged.push(span);
  }
  return merged.flatMap(rangesBetween);
}

function meet(one: Span, other: Span): boolean {
  return one.family === other.family && one.first <= other.last && other.first <= one.last;
}

/** Returns the larger number; Math.max() accepts no bigint. */
function larger(one: bigint, other: bigint): bigint {
  if (one > other) return one;
  return other;
}
