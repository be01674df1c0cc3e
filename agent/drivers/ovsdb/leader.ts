import type { OvsdbClient } from './connection.ts';
import { OvsdbError } from './errors.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { startMonitor } from './monitor.ts';
import { readString, readUuids } from './values.ts';

/** The database that is wanted, and the cluster it must belong to, if the caller insists on one. */
export interface WantedDatabase {
  readonly name: string;
  readonly clusterId: string | undefined;
}

/**
 * Why this server is not the one to talk to, from its row of table Database (ovsdb-server(5)); undefined: it is. A standalone database is
 * its own leader; a relay never is one.
 */
export function judgeServer(row: JsonObject | undefined, { name, clusterId }: WantedDatabase): string | undefined {
  if (row === undefined) return `it has no database ${name}`;
  const [cluster] = readUuids(row.cid);
  if (clusterId !== undefined && cluster !== clusterId) return `its ${name} is of cluster ${cluster ?? '(none)'}`;
  if (row.model === 'relay') return 'it is a relay';
  if (row.connected !== true) return 'it has no contact with the majority of its cluster';
  return row.leader === true ? undefined : 'it is not the leader of its cluster';
}

/**
 * Waits until the server leads its cluster, and from then on ends the connection when it does so no longer, as a client must that writes or
 * wants to read what was written last (ovsdb(7), "Understanding Cluster Consistency"). Rejects with `no-leader` at the signal.
 */
export async function followLeader(client: OvsdbClient, wanted: WantedDatabase, signal: AbortSignal): Promise<void> {
  const rows = new Map<string, JsonObject>();
  let isLeader = false;
  let why: string | undefined = 'it has not said yet who it is';
  await new Promise<void>((resolve, reject) => {
    const refuse = (): void => reject(new OvsdbError('no-leader', `${client.remote}: ${why}`));
    const judge = (): void => {
      why = judgeServer(
        [...rows.values()].find((row) => readString(row.name) === wanted.name),
        wanted,
      );
      if (why === undefined) {
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
    const request = { columns: ['name', 'model', 'connected', 'leader', 'cid'] };
    startMonitor(
      client,
      { method: 'monitor', params: ['_Server', 'leader', { Database: [request] }], notice: 'update' },
      take,
      ([, updates]) => take(updates),
    ).catch((error: OvsdbError) => {
      // A server older than Open vSwitch 2.9 has no database _Server, and no clusters.
      if (error.kind === 'operation') resolve();
      else reject(error);
    });
  });
}
