import { isAgentError } from '../../../errors.ts';
import type { PodPath } from '../../../model/direct-node.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import { directPaths } from '../../../overlay/direct/direct-nodes.ts';
import { podPaths, podPathsOfMember } from '../../../overlay/direct/pod-paths.ts';
import { indexRows, mapOf } from '../../../overlay/rows/row-index.ts';
import { readRows } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { announcedHere } from './direct-here.ts';
import { openFromHere } from './open-from-here.ts';
import { withinAnswerLimit } from './own-port.ts';
import { type PlannedNode, withPlan } from './planned-node.ts';
import { chassisOf } from './southbound-rows.ts';

/** Returns the paths from pods of the central node to pods of all other nodes: the direct route, a tunnel, or none. */
export function centralPaths(
  { record, members, direct }: Pick<PlannedNode, 'record' | 'members' | 'direct'>,
  { encapsulation }: Pick<OverlayPlaces, 'encapsulation'>,
): readonly PodPath[] {
  const own = members.find(({ name }) => name === record.node.name);
  if (own === undefined) return [];
  return podPaths(directPaths(record.layout, members, own), encapsulation, direct.isDirectOnly);
}

/**
 * Returns the paths from pods of this node to pods of all other nodes: the direct route, a tunnel, or none. `local` are
 * the rows of the node's Open_vSwitch table. Null if the central databases do not answer.
 */
export async function readPaths(
  record: OverlayRecord,
  places: OverlayPlaces,
  local: DatabaseRows,
): Promise<readonly PodPath[] | null> {
  if (record.members !== null)
    return withPlan(record, places, async (planned) => centralPaths(planned, places)).catch(nullForAgentError);
  return withinAnswerLimit(askPaths(record, places, local), null);
}

async function askPaths(
  { node, southbound }: OverlayRecord,
  { encapsulation, pki }: OverlayPlaces,
  local: DatabaseRows,
): Promise<readonly PodPath[] | null> {
  try {
    const database = await openFromHere(southbound, pki);
    const rows = await readRows(database, ['SB_Global', 'Chassis', 'Encap']).finally(() => database.close());
    const published = mapOf(indexRows(rows).all('SB_Global')[0] ?? null, 'external_ids');
    return podPathsOfMember({ node, heard: announcedHere(local), encapsulation, published, chassis: chassisOf(rows) });
  } catch (error) {
    return nullForAgentError(error);
  }
}

/** Returns null for an error of the agent. Throws any other error, which is a defect of the agent. */
function nullForAgentError(error: unknown): null {
  if (isAgentError(error)) return null;
  throw error;
}
