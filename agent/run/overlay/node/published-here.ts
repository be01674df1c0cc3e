import { isAgentError } from '../../../errors.ts';
import type { OverlayPeer } from '../../../model/overlay-peer.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { peersIn } from '../../../overlay/peers/published-peers.ts';
import { mapOf } from '../../../overlay/rows/row-index.ts';
import { readColumns } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { openFromHere } from './open-from-here.ts';

/**
 * Returns the entries in SB_Global.external_ids by which the central node publishes data for this member. Null on the
 * central node, and if the central node does not answer.
 */
export async function publishedIds(
  { southbound, members }: OverlayRecord,
  { published, pki, stop }: OverlayPlaces,
): Promise<Readonly<Record<string, string>> | null> {
  if (members !== null) return null;
  if (published !== undefined) return published();
  try {
    const database = await openFromHere(southbound, pki, stop);
    const { tables } = await readColumns(database, { SB_Global: ['external_ids'] }).finally(() => database.close());
    return mapOf(tables.SB_Global?.[0] ?? null, 'external_ids');
  } catch (error) {
    if (isAgentError(error)) return null;
    throw error;
  }
}

/**
 * Returns the peers of the cluster: on the central node those of its record, and on a member those in `ids`, the data
 * that the central node publishes. Null on a member if `ids` is null.
 */
export function peersKnownHere(
  { members, peers = [] }: OverlayRecord,
  ids: Readonly<Record<string, string>> | null,
): readonly OverlayPeer[] | null {
  if (members !== null) return peers;
  return ids === null ? null : peersIn(ids);
}
