import type { DatabaseRow } from '../model/rows.ts';
import { familyOf } from '../net/address.ts';
import { mapOf } from './existing.ts';

/**
 * Key of external_ids of the port that leads from a gateway's outside switch to its router, with the outside addresses for which the gateway answers on its
 * LAN. ovn-northd copies external_ids of ports to OVN_Southbound (ovn-sb(5), Port_Binding), but load balancers only where a switch has them (OVN 23.03).
 */
export const announcedKey = 'microshift-net-announced';

/** The value of that key. */
export function announcedText(addresses: readonly string[]): string {
  return addresses.toSorted().join(' ');
}

/** The addresses that rows of Port_Binding name; what is not an address is left out. */
export function announcedBy(bindings: readonly DatabaseRow[]): readonly string[] {
  const words = bindings.flatMap((row) => (mapOf(row, 'external_ids')[announcedKey] ?? '').split(' '));
  return words.filter((word) => familyOf(word) !== null);
}
