import type { OverlayGateway, OverlayNaming } from '../../model/overlay.ts';
import type { WrittenAtom } from '../../model/rows.ts';
import { withoutLength } from '../addresses.ts';
import { traitsOf } from '../layouts/layouts.ts';
import { uplinkPort } from '../overlay-names.ts';
import { type DesiredColumn, is, keys } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { addNamelessRow } from '../rows/nameless-rows.ts';

/**
 * Plans the port that connects a gateway's outside switch with the NIC. In layout `modern`, it is a localnet port
 * (ovn-nb(5), Logical_Switch_Port, `type`).
 */
export function addUplink(
  desired: DesiredRows,
  naming: OverlayNaming,
  node: string,
  gateway: OverlayGateway,
  outsideSwitch: PlannedRow,
): void {
  const { vlan, physicalNetwork } = gateway;
  const title = uplinkPort(naming, node, gateway);
  const tag: readonly WrittenAtom[] = vlan === null ? [] : [vlan];
  desired.add({
    table: 'Logical_Switch_Port',
    title,
    existing: desired.existing.named('Logical_Switch_Port', title),
    columns: {
      name: is(title),
      addresses: is(['unknown']),
      ...(traitsOf({ naming }).hasLocalnetPorts && {
        type: is('localnet'),
        options: keys({ network_name: physicalNetwork }),
        tag_request: is(tag),
      }),
    },
    place: { row: outsideSwitch, column: 'ports' },
    node,
    why: `the port connects the switch to ${vlan === null ? 'the LAN' : `VLAN ${vlan} of the LAN`}`,
  });
}

/**
 * Plans the NAT row by which packets from a subnet leave with `address` as their source (ovn-nb(5), NAT). A later plan
 * finds the row by its content.
 */
export function addTranslation(
  desired: DesiredRows,
  router: PlannedRow,
  subnet: string,
  address: string,
  node: string,
  why: string,
  columns: Readonly<Record<string, DesiredColumn>> = {},
): void {
  addNamelessRow(desired, {
    table: 'NAT',
    title: `${router.title}: ${subnet}`,
    holder: router,
    column: 'nat',
    key: { type: 'snat', logical_ip: subnet, external_ip: withoutLength(address) },
    columns,
    node,
    why,
  });
}
