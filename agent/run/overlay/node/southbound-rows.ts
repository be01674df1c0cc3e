import type { RowDatabase } from '../../../drivers/ovn/database.ts';
import type { OverlayChassis, OverlayNode, SharedAddresses } from '../../../model/overlay.ts';
import type { DatabaseRow, DatabaseRows } from '../../../model/rows.ts';
import { podMtuIn } from '../../../overlay/direct/direct-only.ts';
import { sharedAddressesOf } from '../../../overlay/local/shared-addresses.ts';
import { redirectPorts } from '../../../overlay/rows/overlay-tables.ts';
import { indexRows, mapOf, textOf } from '../../../overlay/rows/row-index.ts';
import { readSelected } from '../ovn/database-rows.ts';

/** Returns the chassis in the southbound database. */
export function chassisOf(rows: DatabaseRows): OverlayChassis[] {
  const existing = indexRows(rows);
  return existing.all('Chassis').map((row) => ({
    name: textOf(row, 'name'),
    hostname: textOf(row, 'hostname'),
    encaps: existing.referred(row, 'encaps', 'Encap').map((encap) => ({
      address: textOf(encap, 'ip'),
      type: textOf(encap, 'type'),
      owner: textOf(encap, 'chassis_name'),
    })),
    ...announcedBy(row),
  }));
}

/**
 * Returns the settings that a node announces in its Chassis row: in other_config since OVN 20.06, in external_ids
 * before (ovn-sb(5), Chassis). An ovn-controller that exchanges packets with VTEPs always copies `ovn-evpn-vxlan-ports`
 * to other_config, even without a value (OVN since 25.09, controller/chassis.c, chassis_build_other_config).
 */
function announcedBy(row: DatabaseRow): Pick<OverlayChassis, 'bridgeMappings' | 'cmsOptions' | 'hasVteps'> {
  const said = { ...mapOf(row, 'external_ids'), ...mapOf(row, 'other_config') };
  const { 'ovn-cms-options': cmsOptions, 'ovn-bridge-mappings': bridgeMappings } = said;
  return {
    ...(cmsOptions !== undefined && { cmsOptions }),
    ...(bridgeMappings !== undefined && { bridgeMappings }),
    ...('ovn-evpn-vxlan-ports' in said && { hasVteps: true }),
  };
}

/** Returns true if the southbound database publishes an MTU of pods, as in a cluster without tunnels between pods. */
export function isDirectOnlyIn(southbound: DatabaseRows): boolean {
  return podMtuIn(mapOf(indexRows(southbound).all('SB_Global')[0] ?? null, 'external_ids')) !== null;
}

/**
 * Reads the present state of the addresses that gateways of these members share. `below` are the rows of the southbound
 * database, and `local` those of the central node's Open vSwitch. Reads rows of Port_Binding only if a gateway shares
 * its address.
 */
export async function sharedAddressesNow(
  members: readonly OverlayNode[],
  southbound: RowDatabase,
  below: DatabaseRows,
  local: DatabaseRows,
): Promise<SharedAddresses> {
  const areShared = members.some(({ gateway }) => gateway?.isVip === true);
  const columns = ['logical_port', 'chassis'];
  const redirects = areShared ? await readSelected(southbound, 'Port_Binding', redirectPorts, columns) : [];
  return sharedAddressesOf(redirects, below, local);
}
