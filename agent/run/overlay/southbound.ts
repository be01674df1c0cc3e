import { openSouthbound, type RowDatabase } from '../../drivers/ovn/database.ts';
import type { OverlayRecord } from '../../model/overlay-record.ts';
import type { OverlayPlaces } from './places.ts';
import { type PlannedNode, tlsFiles } from './planned.ts';

/** The central node has the database open already; the others reach it as their ovn-controller does. */
export async function withSouthbound<T>(
  { members, southbound }: OverlayRecord,
  { pki }: OverlayPlaces,
  { databases }: Pick<PlannedNode, 'databases'>,
  work: (database: RowDatabase) => Promise<T>,
): Promise<T> {
  const own = databases.find(({ database }) => database.name === 'OVN_Southbound');
  if (members !== null && own !== undefined) return work(own.database);
  const { privateKey, certificate, caCertificate } = tlsFiles(pki);
  const database = await openSouthbound(southbound, { privateKey, certificate, ca: caCertificate });
  return work(database).finally(() => database.close());
}
