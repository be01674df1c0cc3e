import type { OverlayLayout } from '../../model/overlay.ts';
import type { DatabaseRow } from '../../model/rows.ts';
import { isIpv6 } from '../addresses.ts';
import { aclPriorities } from '../rows/acl-priorities.ts';
import { is, keys } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { addNamelessRow } from '../rows/nameless-rows.ts';
import { type RowIndex, textOf } from '../rows/row-index.ts';
import { isOwnedBy } from '../rows/tags.ts';

/**
 * Plans ACLs that reject a packet whose destination is still in the service range after load balancing (ovn-nb(5), ACL
 * options:apply-after-lb). No backend serves such a packet, and the cluster's default route would lead it to the LAN.
 */
export function addServicesInside(
  desired: DesiredRows,
  { serviceSubnets }: Pick<OverlayLayout, 'serviceSubnets'>,
  node: string,
  nodeSwitch: PlannedRow,
): void {
  for (const subnet of serviceSubnets) {
    const match = `${isIpv6(subnet) ? 'ip6' : 'ip4'}.dst == ${subnet}`;
    addNamelessRow(desired, {
      table: 'ACL',
      title: `${node}: ${match}`,
      holder: nodeSwitch,
      column: 'acls',
      key: { direction: 'from-lport', priority: aclPriorities.unserved, match },
      columns: { action: is('reject'), options: keys({ 'apply-after-lb': 'true' }) },
      node,
      why: `packets to ${subnet} for which no service exists must not leave the cluster`,
    });
  }
}

/**
 * Returns the service ranges for which `nodeSwitch` has ACLs that reject packets without a backend, IPv4 first; empty
 * if the switch has no such ACLs or is null.
 */
export function servicesInside(rows: RowIndex, nodeSwitch: DatabaseRow | null, owner: string): readonly string[] {
  return rows
    .referred(nodeSwitch, 'acls', 'ACL')
    .filter((row) => isOwnedBy(row, owner) && row.action === 'reject')
    .flatMap((row) => /^ip[46]\.dst == (\S+)$/.exec(textOf(row, 'match'))?.[1] ?? [])
    .toSorted((a, b) => Number(isIpv6(a)) - Number(isIpv6(b)));
}
