import { centralSocket, type RowDatabase } from '../../../drivers/ovn/database.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { openFromHere, ownCredentials } from './open-from-here.ts';
import type { PlannedNode } from './planned-node.ts';

/**
 * Calls `work` with the southbound database. On the central node the database is already open; another node connects to
 * it in the same way as its ovn-controller does.
 */
export async function withSouthbound<T>(
  { record: { members, southbound }, places: { pki, stop }, databases }: PlannedNode,
  work: (database: RowDatabase) => Promise<T>,
): Promise<T> {
  const own = databases.find(({ database }) => database.name === 'OVN_Southbound');
  if (members !== null && own !== undefined) return work(own.database);
  const database = await openFromHere(southbound, pki, stop);
  return work(database).finally(() => database.close());
}

/**
 * Returns the remote at which a monitor connects to the southbound database; null on a central node whose database is
 * not running.
 */
export function southboundRemote({ members, southbound }: OverlayRecord, { pki, ovnRuns }: OverlayPlaces) {
  if (members === null) return { remote: southbound.join(','), credentials: ownCredentials(pki) };
  const socket = centralSocket('OVN_Southbound', ovnRuns);
  return socket === null ? null : { remote: `unix:${socket}` };
}
