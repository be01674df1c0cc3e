import { openSwitchDatabase } from '../../drivers/ovn/database.ts';
import type { OverlayStatus } from '../../model/overlay-daemon.ts';
import { tunnelsOf } from '../../overlay/tunnels.ts';
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
