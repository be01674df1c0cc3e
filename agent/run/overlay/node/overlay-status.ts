import { openSwitchDatabase } from '../../../drivers/ovn/database.ts';
import type { OverlayStatus } from '../../../model/overlay-daemon.ts';
import { tunnelsOf } from '../../../overlay/local/tunnels.ts';
import { readRows } from '../ovn/database-rows.ts';
import { askController } from '../ovn/ovn-daemons.ts';
import { readDaemon, runsStill } from '../record/daemon-state.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { requireRecord } from '../record/record.ts';
import { readMembership } from './own-port.ts';
import { readPaths } from './paths-here.ts';
import { rememberedPeers } from './stored-inbound.ts';
import { withAnswers } from './tunnel-answers.ts';

/**
 * Reads this node's part in the cluster and its state, and queries the other ends of its tunnels. Fails with
 * `overlay-absent` if the node is not in an overlay.
 */
export async function readOverlayStatus(places: OverlayPlaces): Promise<OverlayStatus> {
  const record = requireRecord(places.record);
  const { node, members, southbound } = record;
  const daemon = readDaemon(places.daemon);
  const database = await openSwitchDatabase(places.ovsRun);
  const rows = await readRows(database, ['Interface', 'Port', 'Open_vSwitch']).finally(() => database.close());
  const controller = await askController(places);
  return {
    node: node.name,
    role: members === null ? 'member' : 'central',
    subnets: node.subnets,
    addresses: node.encap.addresses,
    southbound,
    membership: await readMembership(record, places),
    controller,
    daemon,
    isRunning: daemon !== null && runsStill(daemon),
    // If ovn-controller does not reach the central node, the central node is not queried, because the query would delay
    // the command until the time limit of the query.
    paths: controller === 'not connected' ? null : await readPaths(record, places, rows),
    tunnels: await withAnswers(tunnelsOf(rows), node.encap.addresses),
    peers: members === null ? rememberedPeers(places) : (record.peers ?? []),
  };
}
