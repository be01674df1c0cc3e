import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { startMonitor } from './monitor.ts';
import type { OvsdbClient } from './ovsdb-connection.ts';
import { OvsdbError } from './ovsdb-errors.ts';
import { readInteger, readString, readUuids } from './values.ts';

/** Name of the database, and the id of its cluster if the caller accepts only this cluster. */
export interface WantedDatabase {
  readonly name: string;
  readonly clusterId: string | undefined;
  /** Highest log index that earlier connections have received. */
  readonly seen?: SeenIndex | undefined;
}

/**
 * Highest log index that servers of a cluster have reported (ovsdb-server(5), column index). A server with a lower
 * index is not used: after its election, a new leader needs some time to determine which part of its log is valid, and
 * has older contents until then.
 */
export interface SeenIndex {
  clusterId: string | undefined;
  index: number;
}

/**
 * Returns the reason why a server cannot be used, from its row of the table Database (ovsdb-server(5)); undefined if
 * the server can be used. A standalone database is its own leader; a relay is never a leader.
 */
export function judgeServer(
  row: JsonObject | undefined,
  { name, clusterId, seen }: WantedDatabase,
): string | undefined {
  if (row === undefined) return `it has no database ${name}`;
  const [cluster] = readUuids(row.cid);
  if (clusterId !== undefined && cluster !== clusterId) return `its ${name} is of cluster ${cluster ?? '(none)'}`;
  if (row.model === 'relay') return 'it is a relay';
  if (row.connected !== true) return 'it has no contact with the majority of its cluster';
  if (row.leader !== true) return 'it is not the leader of its cluster';
  const isBehind = seen !== undefined && seen.clusterId === cluster && (readInteger(row.index) ?? 0) < seen.index;
  return isBehind ? 'it does not show yet what was seen already' : undefined;
}

/**
 * Waits until the server leads its cluster, and ends the connection when the server loses its leadership. A client
 * needs this if it writes, or if it has to read the latest contents (ovsdb(7), "Understanding Cluster Consistency").
 * Rejects with `no-leader` when the signal is aborted.
 */
export async function followLeader(client: OvsdbClient, wanted: WantedDatabase, signal: AbortSignal): Promise<void> {
  const rows = new Map<string, JsonObject>();
  let isLeader = false;
  let why: string | undefined = 'it has not sent its identity yet';
  await new Promise<void>((resolve, reject) => {
    const refuse = (): void => reject(new OvsdbError('no-leader', `${client.remote}: ${why}`));
    const judge = (): void => {
      const row = [...rows.values()].find((candidate) => readString(candidate.name) === wanted.name);
      why = judgeServer(row, wanted);
      if (why === undefined) {
        if (wanted.seen !== undefined) {
          wanted.seen.clusterId = readUuids(row?.cid)[0];
          wanted.seen.index = readInteger(row?.index) ?? 0;
        }
        isLeader = true;
        resolve();
      } else if (isLeader) {
        client.close(new OvsdbError('lost', `connection to ${client.remote} given up: ${why}`));
      }
    };
    signal.addEventListener('abort', refuse, { once: true });
    client.ended.then(reject, reject);
    const take = (updates: Json | undefined): void => {
      const changes = isJsonObject(updates) && isJsonObject(updates.Database) ? updates.Database : {};
      for (const [id, change] of Object.entries(changes)) {
        if (isJsonObject(change) && isJsonObject(change.new)) rows.set(id, change.new);
        else rows.delete(id);
      }
      judge();
    };
    const request = { columns: ['name', 'model', 'connected', 'leader', 'cid', 'index'] };
    startMonitor(
      client,
      { method: 'monitor', params: ['_Server', 'leader', { Database: [request] }], notice: 'update' },
      take,
      ([, updates]) => take(updates),
    ).catch((error: OvsdbError) => {
      // A server that rejects the monitor request is used as well: before Open vSwitch 2.9, servers had no database
      // _Server and no clusters.
      if (error.kind === 'operation') resolve();
      else reject(error);
    });
  });
}
