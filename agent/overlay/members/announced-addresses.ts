import type { OverlayChassis, OverlayNode } from '../../model/overlay.ts';
import { canonicalAddress, familyOf } from '../../net/address.ts';
import { isWithin } from '../addresses.ts';
import { nodeAddresses, unservableRanges } from '../node-ports.ts';

/*
 * A member announces the addresses of its interfaces that its record does not contain, such as those of a second NIC.
 * The announcement is in `ovn-cms-options` of its own chassis, beside those of its gateway and its listening sockets.
 * For the decision which services are served at an address, the central node treats the announced addresses as the
 * member's own. Packets from pods therefore still reach the member's processes.
 */
const prefix = 'microshift-net-has:';
/**
 * Largest number of further addresses that a node announces and the central node reads. A node usually has a few. If a
 * node has more, only the node itself knows the others, and keeps services away from them.
 */
const mostEntries = 32;

/** Returns true for an entry of `ovn-cms-options` that announces a further address. */
export function isAddressEntry(entry: string): boolean {
  return entry.startsWith(prefix);
}

/** Returns the entries by which a node announces its further addresses: `microshift-net-has:192.0.2.200`. */
export function addressEntries(addresses: readonly string[]): readonly string[] {
  return addresses.slice(0, mostEntries).map((address) => `${prefix}${address}`);
}

/** Reads the further addresses that a chassis announces. Leaves out entries that are not the address of a host. */
export function announcedAddresses({ cmsOptions = '' }: Pick<OverlayChassis, 'cmsOptions'>): readonly string[] {
  const entries = cmsOptions.split(',').filter(isAddressEntry).slice(0, mostEntries);
  return entries
    .map((entry) => entry.slice(prefix.length))
    .filter((text) => familyOf(text) !== null)
    .map(canonicalAddress)
    .filter(isOfHost);
}

/**
 * Returns the further addresses of a node, sorted and each once: the addresses on its interfaces at which services
 * could be served, without those in its record and those in `ranges`, the ranges of the cluster.
 */
export function furtherAddresses(
  onInterfaces: readonly string[],
  node: Pick<OverlayNode, 'hostAddresses' | 'encap' | 'gateway'>,
  ranges: readonly string[],
): readonly string[] {
  const known = nodeAddresses(node);
  const others = onInterfaces
    .map(canonicalAddress)
    .filter((one) => !known.includes(one) && isOfHost(one) && !ranges.some((range) => isWithin(one, range)));
  return [...new Set(others)].toSorted();
}

function isOfHost(address: string): boolean {
  return !unservableRanges.some((range) => isWithin(address, range));
}
