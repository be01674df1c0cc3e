import type { OverlayChassis, OverlayNode } from '../../model/overlay.ts';
import { canonicalAddress } from '../../net/address.ts';
import { parseRange } from '../../net/address-range.ts';
import { isWithin, withoutLength } from '../addresses.ts';
import { unservableRanges } from '../node-ports.ts';

/*
 * A member announces the addresses of its interfaces with their prefix lengths, and the ranges of its outside clients,
 * in `ovn-cms-options` of its own chassis. The central node publishes the addresses in annotations of the Node, and
 * prints the routes that the clients need. The announcement has no effect on the rows of other nodes.
 */
const cidrPrefix = 'microshift-net-cidr:';
const clientPrefix = 'microshift-net-client:';
/**
 * Largest number of entries of each kind that a node announces and the central node reads. A node usually has a few.
 */
const mostEntries = 32;

/**
 * Returns true for an entry of `ovn-cms-options` that announces an address with its prefix length, or a range of
 * clients.
 */
export function isRangeEntry(entry: string): boolean {
  return entry.startsWith(cidrPrefix) || entry.startsWith(clientPrefix);
}

/** Returns the entries of a node: `microshift-net-cidr:192.0.2.11/24`, `microshift-net-client:192.0.2.50/32`. */
export function rangeEntries({
  hostCidrs = [],
  outsideClients = [],
}: Pick<OverlayNode, 'hostCidrs' | 'outsideClients'>): readonly string[] {
  return [
    ...hostCidrs.slice(0, mostEntries).map((cidr) => `${cidrPrefix}${cidr}`),
    ...outsideClients.slice(0, mostEntries).map((range) => `${clientPrefix}${range}`),
  ];
}

/** Reads the entries that a chassis announces. Leaves out malformed ones, which concern only the chassis itself. */
export function announcedRanges({
  cmsOptions = '',
}: Pick<OverlayChassis, 'cmsOptions'>): Pick<OverlayNode, 'hostCidrs' | 'outsideClients'> {
  const entries = cmsOptions.split(',');
  const textsOf = (prefix: string): readonly string[] =>
    entries
      .filter((entry) => entry.startsWith(prefix))
      .slice(0, mostEntries)
      .map((entry) => entry.slice(prefix.length));
  const hostCidrs = textsOf(cidrPrefix).flatMap(hostCidr);
  const outsideClients = textsOf(clientPrefix).filter((text) => parseRange(text) !== null);
  return {
    ...(hostCidrs.length > 0 && { hostCidrs }),
    ...(outsideClients.length > 0 && { outsideClients }),
  };
}

/**
 * Returns the sorted addresses of a node's interfaces outside of `ranges`, the ranges of the cluster; each once. An
 * address is in the form `address/prefix`.
 */
export function hostCidrsOf(onInterfaces: readonly string[], ranges: readonly string[]): readonly string[] {
  const outside = onInterfaces
    .flatMap(hostCidr)
    .filter((cidr) => !ranges.some((range) => isWithin(withoutLength(cidr), range)));
  return [...new Set(outside)].toSorted();
}

/**
 * Returns a list with the address and its prefix length in canonical form; an empty list unless a host of a LAN can
 * have the address.
 */
function hostCidr(text: string): readonly string[] {
  const range = parseRange(text);
  if (range === null || range.prefixLength === 0) return [];
  const address = canonicalAddress(withoutLength(text));
  const isUsable = !unservableRanges.some((unservable) => isWithin(address, unservable));
  return isUsable ? [`${address}/${range.prefixLength}`] : [];
}
