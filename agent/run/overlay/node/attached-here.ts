import { isAgentError } from '../../../errors.ts';
import type { HostFacts } from '../../../facts/overlay-host.ts';
import type { AttachedInterface } from '../../../model/overlay-port.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import { attachable } from '../../../overlay/local/attachable.ts';
import { attachedInterfaces } from '../../../overlay/ports/node-interfaces.ts';
import { interfacesIn } from '../../../overlay/ports/published-ports.ts';
import { mapOf } from '../../../overlay/rows/row-index.ts';
import { readColumns } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { openFromHere } from './open-from-here.ts';

/**
 * Returns the interfaces that this node attaches to br-int for hosts that are not pods, and sentences about interfaces
 * that it cannot attach. The central node has the list of these interfaces in its record, and members read the list in
 * the southbound database. `attached` is null on a member that has not been able to read the list. `rows` are those of
 * this node's Open vSwitch.
 */
export async function attachedHere(
  record: OverlayRecord,
  places: OverlayPlaces,
  { links, routes }: HostFacts,
  rows: DatabaseRows,
): Promise<{ readonly attached: readonly AttachedInterface[] | null; readonly faults: readonly string[] }> {
  const { layout, node, members, ports = [] } = record;
  const ids = members === null ? await publishedIds(record, places) : null;
  if (members === null && ids === null) return { attached: null, faults: [] };
  const wanted = ids === null ? attachedInterfaces(ports, node.name) : interfacesIn(ids, node.name);
  return wanted.length === 0
    ? { attached: [], faults: [] }
    : attachable(wanted, { layout, node, links, routes, rows, sshPeer: null });
}

async function publishedIds(
  { southbound }: OverlayRecord,
  { published, pki, stop }: OverlayPlaces,
): Promise<Readonly<Record<string, string>> | null> {
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
