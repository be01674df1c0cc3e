import type { DatabaseRow } from '../../model/rows.ts';
import { familyOf } from '../../net/address.ts';
import { mapOf } from '../rows/row-index.ts';

/**
 * Key of external_ids of the port that leads from a gateway's outside switch to its router. Its value lists the outside
 * addresses for which the gateway answers on its LAN. ovn-northd copies external_ids of ports to OVN_Southbound
 * (ovn-sb(5), Port_Binding), but copies load balancers only if a switch has them (OVN 23.03).
 */
export const announcedKey = 'microshift-net-announced';

/** Returns the text by which a gateway announces these addresses: in alphabetical order, with spaces in between. */
export function announcedText(addresses: readonly string[]): string {
  return addresses.toSorted().join(' ');
}

/** Returns the addresses that gateways announce in these rows of Port_Binding; ignores malformed addresses. */
export function announcedBy(bindings: readonly DatabaseRow[]): readonly string[] {
  const words = bindings.flatMap((row) => (mapOf(row, 'external_ids')[announcedKey] ?? '').split(' '));
  return words.filter((word) => familyOf(word) !== null);
}
