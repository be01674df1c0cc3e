import { overlaps, parseRange } from './address-range.ts';

/** Returns the device of the route to an address (longest prefix, then lowest metric); null if no route matches. */
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
