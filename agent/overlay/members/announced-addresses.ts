import type { OverlayChassis, OverlayNode } from '../../model/overlay.ts';
import { canonicalAddress, familyOf } from '../../net/address.ts';
import { isWithin } from '../addresses.ts';
import { nodeAddresses, unservableRanges } from '../node-ports.ts';

/*
 * A member announces the further addresses of its interfaces in `ovn-cms-options` of its own chassis, beside its
 * gateway and its listeners: the central node lets no service take a port of the member there, for pods as well.
 */
const prefix = 'microshift-net-has:';
/** A node has a few addresses; the node itself protects the rest. */
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
 * Returns those of the addresses on a node's interfaces that are neither known of it already nor inside one of
 * `ranges`, the ranges of the cluster itself; sorted and without duplicates.
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
