import { createSlices } from '../../slices.ts';
import { isJsonArray, type Json, type JsonObject } from './json.ts';
import { type MonitorRequest, startMonitor } from './monitor.ts';
import type { OvsdbClient } from './ovsdb-connection.ts';
import { OvsdbError } from './ovsdb-errors.ts';
import type { Session } from './ovsdb-session.ts';
import { readSchema, type Schema } from './schema.ts';
import {
  createTables,
  type Followed,
  followedOf,
  type MirrorTable,
  type RowChange,
  type TableRequest,
} from './tables.ts';
import { createWaiters } from './waiters.ts';

/** Local copy of tables of a database. Each transaction of the database updates the copy. */
export interface Mirror {
  /**
   * False from the loss of a connection until the contents of the next connection have arrived; the mirror keeps the
   * old contents meanwhile.
   */
  readonly isFresh: boolean;
  table(name: string): MirrorTable;
  /** Returns true if the database has this table, or this column of the table. */
  has(table: string, column?: string): boolean;
  /**
   * Calls the listener with all changes of each transaction, and with the differences after a new connection, until the
   * returned function is called.
   */
  onChange(listener: (changes: readonly RowChange[]) => void): () => void;
  /**
   * Resolves with the result of `predicate` as soon as it is neither undefined nor false. The predicate is evaluated at
   * once and after each change, but only while the contents are up to date. Rejects with `timeout` after the limit.
   */
  until<T>(predicate: (mirror: Mirror) => T | undefined | false, limitMs: number): Promise<T>;
  close(): void;
}

/** Transaction id that stands for no transaction (ovsdb-server(7) section 4.1.15). */
const noTransaction = '00000000-0000-0000-0000-000000000000';
let nextMonitor = 0;

/**
 * Follows these tables through monitor_cond_since or monitor_cond (ovsdb-server(7) sections 4.1.12 to 4.1.16); resolves
 * with the first contents. When a transaction of the same session has been answered, its changes are in the mirror. If
 * the contents have not arrived at the end of the limit, rejects with the reason.
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

  const report = (changes: readonly RowChange[]): void => {
    if (changes.length > 0) for (const listener of [...listeners]) notify(listener, changes);
  };
  const attach = async (client: OvsdbClient): Promise<void> => {
    let end: OvsdbError | undefined;
    void client.ended.then((reason) => {
      end = reason;
      if (fresh === client) fresh = undefined;
    });
    schema = readSchema(await client.call('get_schema', [session.database]));
    const before = describe(followed);
    followed = followedOf(schema, requests);
    if (describe(followed) !== before) lastTransaction = noTransaction;
    const start = (request: MonitorRequest, read: typeof readSince): Promise<() => void> => {
      const taken = (transaction: Json | undefined, changes: readonly RowChange[]): void => {
        report(changes);
        lastTransaction = typeof transaction === 'string' ? transaction : noTransaction;
        fresh = client;
        waiters.wake();
      };
      /**
       * Applies the contents in slices, because they may be a whole database. Between two slices, the connection may
       * end and another connection may begin.
       */
      const takeContents = async ([isWhole, transaction, updates]: ReturnType<typeof readSince>): Promise<void> => {
        // The id of the last transaction is unset until all contents are applied. If the connection ends before then,
        // the mirror therefore requests all contents from the next connection.
        lastTransaction = noTransaction;
        const breathe = createSlices(() => performance.now());
        const steps = tables.applyInSteps(followed, updates ?? null, isWhole);
        for (;;) {
          const { done, value } = steps.next();
          if (done === true) return taken(transaction, value);
          const pause = breathe();
          if (pause === null) continue;
          await pause;
          if (end !== undefined) throw end;
        }
      };
      const takeUpdate = (transaction: Json | undefined, updates: Json | undefined): void => {
        lastTransaction = noTransaction;
        taken(transaction, tables.apply(followed, updates ?? null, false));
      };
      return startMonitor(
        client,
        request,
        (reply) => takeContents(read(reply)),
        (params) =>
          takeUpdate(...((params.length > 2 ? [params[1], params[2]] : [undefined, params[1]]) as [Json, Json])),
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
      // A server that rejects monitor_cond_since is older than Open vSwitch 2.12, which introduced it.
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
        () =>
          new OvsdbError(
            'timeout',
            `${session.database} did not have the expected contents within ${untilMs / 1000} s`,
          ),
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

/** Returns `<monitor-cond-requests>` of ovsdb-server(7) section 4.1.12. */
function monitorRequests(followed: Followed, requests: Readonly<Record<string, TableRequest>>): JsonObject {
  const request = (table: string, columns: readonly string[]): JsonObject => {
    const where = requests[table]?.where;
    return where === undefined ? { columns } : { columns, where };
  };
  return Object.fromEntries([...followed].map(([table, columns]) => [table, [request(table, [...columns.keys()])]]));
}

/**
 * Returns a text with the followed columns and their types. If the text is different for a new connection, all rows
 * have to be read again.
 */
function describe(followed: Followed): string {
  return JSON.stringify([...followed].map(([table, columns]) => [table, [...columns]]));
}

/**
 * Calls a listener. An exception of the listener is thrown outside of the driver, so that it does not close the
 * connection.
 */
function notify(listener: (changes: readonly RowChange[]) => void, changes: readonly RowChange[]): void {
  try {
    listener(changes);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/**
 * Reads the reply to monitor_cond_since: whether the contents are complete, the id of the last transaction in them, and
 * the contents.
 */
function readSince(reply: Json): readonly [boolean, Json | undefined, Json | undefined] {
  if (isJsonArray(reply) && reply.length === 3) return [reply[0] !== true, reply[1], reply[2]];
  throw new OvsdbError('protocol', 'malformed reply to monitor_cond_since');
}
