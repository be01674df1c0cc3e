import { disjointRanges } from '../../net/address-range.ts';
import { isIpv6 } from '../addresses.ts';

/** Option with the addresses and ports of a load balancer at which only some clients are permitted. */
const placesKey = 'microshift-net-restricted-vips';
/** Option with the ranges of the permitted clients. */
const rangesKey = 'microshift-net-source-ranges';

/** Keys of the two options that a load balancer has if it permits only some clients. */
export const rangeKeys: readonly string[] = [placesKey, rangesKey];

/**
 * Returns the options of a load balancer that permits only some clients at these entries of its `vips`; empty without
 * such entries. OVN ignores options that it does not know. ovn-northd copies the options of a row of OVN_Northbound to
 * its row of OVN_Southbound (northd/northd.c, from 24.03 on northd/en-sync-sb.c), which members read.
 */
export function rangeOptions(vips: readonly string[], ranges: readonly string[]): Readonly<Record<string, string>> {
  return vips.length === 0 ? {} : { [placesKey]: vips.join(' '), [rangesKey]: ranges.join(' ') };
}

/**
 * Returns the ranges of the clients that are permitted at an entry of `vips` with this address, from the options of its
 * row; null if every client is permitted. Text that is not a range permits no client.
 */
export function permittedClients(
  options: Readonly<Record<string, string>>,
  vip: string,
  address: string,
): readonly string[] | null {
  if (!wordsOf(options[placesKey]).includes(vip)) return null;
  return disjointRanges(wordsOf(options[rangesKey])).filter((range) => isIpv6(range) === isIpv6(address));
}

function wordsOf(text = ''): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}
