import { openSwitchDatabase } from '../../drivers/ovn/database.ts';
import type { OverlayStatus, OverlayTunnel } from '../../model/overlay-daemon.ts';
import type { DatabaseRows } from '../../model/rows.ts';
import { indexRows, mapOf, textOf } from '../../overlay/existing.ts';
import { readDaemon, runsStill } from './daemon/state.ts';
import { askController } from './ovn-daemons.ts';
import type { OverlayPlaces } from './places.ts';
import { requireRecord } from './record.ts';
import { readRows } from './rows.ts';

/** What this node is in the cluster, and how that is. Looks at this node only. Fails with `overlay-absent` on a node that is in none. */
export async function readOverlayStatus(places: OverlayPlaces): Promise<OverlayStatus> {
  const { node, members, southbound } = requireRecord(places.record);
  const daemon = readDaemon(places.daemon);
  const database = await openSwitchDatabase(places.ovsRun);
  const rows = await readRows(database, ['Interface', 'Port']).finally(() => database.close());
  return {
    node: node.name,
    role: members === null ? 'member' : 'central',
    subnets: node.subnets,
    addresses: node.encap.addresses,
    southbound,
    controller: await askController(places),
    daemon,
    isRunning: daemon !== null && runsStill(daemon),
    tunnels: tunnelsOf(rows),
  };
}

/** ovn-controller marks the ports of its tunnels with the chassis they lead to (ovn-controller(8), ovn-chassis-id: CHASSIS@ADDRESS). */
export function tunnelsOf(rows: DatabaseRows): readonly OverlayTunnel[] {
  const existing = indexRows(rows);
  return existing.all('Port').flatMap((port) => {
    const chassis = mapOf(port, 'external_ids')['ovn-chassis-id'];
    const [end = null] = existing.referred(port, 'interfaces', 'Interface');
    if (chassis === undefined || end === null) return [];
    return [
      {
        interface: textOf(end, 'name'),
        type: textOf(end, 'type'),
        chassis: chassis.split('@')[0] ?? chassis,
        remoteAddress: mapOf(end, 'options').remote_ip ?? '',
      },
    ];
  });
}
