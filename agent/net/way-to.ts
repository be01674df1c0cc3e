import { overlaps, parseRange } from './address-range.ts';

/** The device by which an address is reached (the longest prefix, then the lowest metric); null: by none. */
export function wayTo(
  address: string,
  routes: readonly { readonly destination: string; readonly metric: number; readonly device: string }[],
): string | null {
  const target = parseRange(`${address}/${address.includes(':') ? 128 : 32}`);
  const ranges = routes.flatMap((route) => {
    const range = parseRange(route.destination);
    return target !== null && range !== null && overlaps(range, target) ? [{ route, range }] : [];
  });
  const [best] = ranges.toSorted(
    (a, b) => b.range.prefixLength - a.range.prefixLength || a.route.metric - b.route.metric,
  );
  return best?.route.device ?? null;
}
