import type { OvsdbClient } from './connection.ts';
import { OvsdbError } from './errors.ts';
import { isJsonArray, type Json, type JsonObject } from './json.ts';
import { type MonitorRequest, startMonitor } from './monitor.ts';
import { readSchema, type Schema } from './schema.ts';
import type { Session } from './session.ts';
import {
  createTables,
  type Followed,
  followedOf,
  type MirrorTable,
  type RowChange,
  type TableRequest,
} from './tables.ts';
import { createWaiters } from './waiters.ts';

/** A copy of some tables that follows the database. */
export interface Mirror {
  /** False from the loss of a connection until the contents are those of the next one; the old ones stay meanwhile. */
  readonly isFresh: boolean;
  table(name: string): MirrorTable;
  /** Whether the database has this table, or this column of it. */
  has(table: string, column?: string): boolean;
  /** Told of the changes of each transaction at once, and of what differs after a reconnect; until the function that it returns is called. */
  onChange(listener: (changes: readonly RowChange[]) => void): () => void;
  /**
   * What `predicate` answers as soon as that is neither undefined nor false: asked now and after each change, while the mirror is fresh.
   * Rejects with `timeout` after the limit.
   */
  until<T>(predicate: (mirror: Mirror) => T | undefined | false, limitMs: number): Promise<T>;
  close(): void;
}

/** ovsdb-server(7) section 4.1.15: no transaction seen yet. */
const noTransaction = '00000000-0000-0000-0000-000000000000';
let nextMonitor = 0;

/**
 * Follows these tables, by monitor_cond_since or monitor_cond (ovsdb-server(7) sections 4.1.12 to 4.1.16); resolves with the first contents.
 * After a transaction of the same session has been answered, its changes are in the mirror. Rejects after the limit with the reason.
 */
export async function openMirror(
  session: Session,
  requests: Readonly<Record<string, TableRequest>>,
  limitMs: number,
): Promise<Mirror> {
  const id = `mirror-${nextMonitor++}`;
  const tables = createTables(requests);
  const waiters = createWaiters();
  const listeners = new Set<(changes: readonly RowChange[]) => void>();
  let schema: Schema = new Map();
  let followed: Followed = new Map();
  let lastTransaction = noTransaction;
  let fresh: OvsdbClient | undefined;
  let failure: unknown;
  let stop = (): void => {};

  const apply = (updates: Json | undefined, isWhole: boolean): void => {
    const changes = tables.apply(followed, updates ?? null, isWhole);
    if (changes.length > 0) for (const listener of [...listeners]) tell(listener, changes);
  };
  const attach = async (client: OvsdbClient): Promise<void> => {
    void client.ended.then(() => {
      if (fresh === client) fresh = undefined;
    });
    schema = readSchema(await client.call('get_schema', [session.database]));
    const before = describe(followed);
    followed = followedOf(schema, requests);
    if (describe(followed) !== before) lastTransaction = noTransaction;
    const start = (request: MonitorRequest, read: typeof readSince): Promise<() => void> => {
      const take = (isWhole: boolean, transaction: Json | undefined, updates: Json | undefined): void => {
        // Until it is applied whole, the next connection starts from nothing.
        lastTransaction = noTransaction;
        apply(updates, isWhole);
        lastTransaction = typeof transaction === 'string' ? transaction : noTransaction;
        fresh = client;
        waiters.wake();
      };
      return startMonitor(
        client,
        request,
        (reply) => take(...read(reply)),
        (params) =>
          take(false, ...((params.length > 2 ? [params[1], params[2]] : [undefined, params[1]]) as [Json, Json])),
      );
    };
    const params = [session.database, id, monitorRequests(followed, requests)] as const;
    try {
      stop = await start(
        { method: 'monitor_cond_since', params: [...params, lastTransaction], notice: 'update3' },
        readSince,
      );
    } catch (error) {
      if (!(error instanceof OvsdbError) || error.kind !== 'operation') throw error;
      // Before Open vSwitch 2.12.
      stop = await start({ method: 'monitor_cond', params, notice: 'update2' }, (reply) => [true, undefined, reply]);
    }
  };
  const detach = session.follow((client) =>
    attach(client).catch((error: unknown) => {
      failure = error;
      throw error;
    }),
  );
  const forgetEnd = session.onEnded(waiters.end);
  const mirror: Mirror = {
    get isFresh() {
      return fresh !== undefined;
    },
    table: tables.table,
    has: (table, column) => (column === undefined ? schema.has(table) : schema.get(table)?.has(column) === true),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    until: <T>(predicate: (mirror: Mirror) => T | undefined | false, untilMs: number) =>
      waiters.until(
        () => {
          const answer = fresh === undefined ? undefined : predicate(mirror);
          return answer === false ? undefined : answer;
        },
        untilMs,
        () => new OvsdbError('timeout', `what ${session.database} should have did not come within ${untilMs} ms`),
      ),
    close: () => {
      detach();
      forgetEnd();
      stop();
      listeners.clear();
      fresh?.call('monitor_cancel', [id]).catch(() => undefined);
      waiters.end(new OvsdbError('closed', `mirror of ${session.database} closed by this side`));
    },
  };
  await mirror
    .until(() => true, limitMs)
    .catch((error: unknown) => {
      mirror.close();
      throw failure ?? session.problem ?? error;
    });
  return mirror;
}

/** `<monitor-cond-requests>` of ovsdb-server(7) section 4.1.12. */
function monitorRequests(followed: Followed, requests: Readonly<Record<string, TableRequest>>): JsonObject {
  const request = (table: string, columns: readonly string[]): JsonObject => {
    const where = requests[table]?.where;
    return where === undefined ? { columns } : { columns, where };
  };
  return Object.fromEntries([...followed].map(([table, columns]) => [table, [request(table, [...columns.keys()])]]));
}

/** A text that is another one whenever rows would be read in another way. */
function describe(followed: Followed): string {
  return JSON.stringify([...followed].map(([table, columns]) => [table, [...columns]]));
}

/** A listener that throws is its owner's mistake: that is no reason to give up the connection. */
function tell(listener: (changes: readonly RowChange[]) => void, changes: readonly RowChange[]): void {
  try {
    listener(changes);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** The reply to monitor_cond_since: whether the contents are whole, the last transaction in them, and they. */
function readSince(reply: Json): readonly [boolean, Json | undefined, Json | undefined] {
  if (isJsonArray(reply) && reply.length === 3) return [reply[0] !== true, reply[1], reply[2]];
  throw new OvsdbError('protocol', 'malformed reply to monitor_cond_since');
}
