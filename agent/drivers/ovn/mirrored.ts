import type { AgentError } from '../../errors.ts';
import {
  assertLock,
  type Credentials,
  type JsonObject,
  type Lock,
  type Mirror,
  type MirrorTable,
  type Operation,
  OvsdbError,
  openLock,
  openMirror,
  openSession,
  type RowChange,
  type Session,
  type SessionState,
} from '../ovsdb/index.ts';
import { fromOvn } from './ovn-errors.ts';

export type { MirrorRow, MirrorTable, RowChange } from '../ovsdb/index.ts';

/** Time limit for a call, which allows for a loaded machine and a slow link, as in database.ts. */
const limitMs = 15_000;
/**
 * Time limit for the mirror to have current contents. It is longer than the limit of a single monitor request, after
 * which the connection is closed and another attempt begins, and it includes the time to apply the contents.
 */
const freshMs = 4 * limitMs;

/** Database and tables to mirror, and the lock that a write needs. */
export interface MirrorRequest {
  readonly database: string;
  /** Remote: `unix:FILE`, `ssl:HOST:PORT`, …; several are separated by commas. */
  readonly remote: string;
  readonly credentials?: Credentials;
  /** Tables to mirror, each with its indexes (drivers/ovsdb, TableRequest.indexes). */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  readonly lock: string;
  /** Receives the error while the database is unreachable, and null after each new connection. */
  readonly report: (error: AgentError | null) => void;
}

/**
 * Result of a transaction on which the server has decided. `stale`: a row has changed since it was read, and nothing
 * was written. `not owner`: another client has the lock, and nothing was written.
 */
export type Judged = 'written' | 'stale' | 'not owner';

/** Mirror of a database that several clients write. A client writes only while it holds the lock. */
export interface MirroredDatabase {
  /** Schema as the current server writes it (RFC 7047 section 3.2). */
  readonly schema: JsonObject;
  /** True while this client holds the lock and the contents are current. */
  readonly isOwner: boolean;
  table(name: string): MirrorTable;
  /** Calls the listener with all changes of each transaction. */
  onChange(listener: (changes: readonly RowChange[]) => void): void;
  /** Calls the listener when this client gains or loses the right to write. */
  onOwner(listener: (isOwner: boolean) => void): void;
  /**
   * Executes the operations as one transaction if this client holds the lock. When the promise resolves with `written`,
   * the mirror contains the changes; with any other result, nothing was written. Fails with `ovsdb-refused` if the
   * server rejects the operations; after any other error, the operations may have been carried out.
   */
  transact(what: string, operations: readonly Operation[]): Promise<Judged>;
  /** Releases the lock and closes the connection. */
  close(): Promise<void>;
}

/**
 * Mirrors a database and requests the lock; resolves with the first contents. Connects again after a lost connection.
 * Fails if the contents are not applied within a minute, or if `stop` is aborted.
 */
export async function openMirrored(request: MirrorRequest, stop: AbortSignal): Promise<MirroredDatabase> {
  const { database, remote, credentials } = request;
  const report = (state: SessionState): void =>
    request.report(state.connected ? null : fromOvn('connect', remote, state.error));
  const session = openSession({ remotes: remote, database, limitMs, credentials, report });
  const abort = (): void => session.close();
  stop.addEventListener('abort', abort, { once: true });
  let schema: JsonObject = {};
  session.follow(async (client) => {
    // The schema is requested before the mirror requests the rows, so it arrives before them.
    schema = (await client.call('get_schema', [database])) as JsonObject;
  });
  const tables = Object.fromEntries(Object.entries(request.tables).map(([name, indexes]) => [name, { indexes }]));
  try {
    const mirror = await openMirror(session, tables, freshMs);
    return mirrored(session, mirror, openLock(session, request.lock), request, () => schema);
  } catch (error) {
    session.close();
    throw fromOvn('follow', remote, error);
  } finally {
    stop.removeEventListener('abort', abort);
  }
}

function mirrored(
  session: Session,
  mirror: Mirror,
  lock: Lock,
  { database, remote, lock: name }: MirrorRequest,
  schema: () => JsonObject,
): MirroredDatabase {
  const listeners = new Set<(isOwner: boolean) => void>();
  const notify = (isOwner: boolean): void => {
    for (const listener of listeners) listener(isOwner);
  };
  let isNotified = false;
  const got = (): void => {
    // The listeners are called only with current contents, because the lock can be acquired before the contents of a
    // new connection have arrived.
    const fresh = mirror.until(() => lock.isHeld, freshMs);
    const notified = fresh.then(() => {
      if (isNotified || !lock.isHeld) return;
      isNotified = true;
      notify(true);
    });
    notified.catch(() => undefined);
  };
  lock.onChange((isHeld) => {
    if (isHeld) return got();
    isNotified = false;
    return notify(false);
  });
  if (lock.isHeld) got();
  return {
    get schema() {
      return schema();
    },
    get isOwner() {
      return isNotified && lock.isHeld && mirror.isFresh;
    },
    table: mirror.table,
    onChange: (listener) => void mirror.onChange(listener),
    onOwner: (listener) => void listeners.add(listener),
    transact: async (what, operations) => {
      try {
        await (await session.client()).transact(database, [assertLock(name), ...operations]);
        return 'written';
      } catch (error) {
        const judged = judgedBy(error);
        if (judged !== null) return judged;
        throw fromOvn(what, remote, error);
      }
    },
    close: async () => {
      await lock.release().catch(() => undefined);
      mirror.close();
      session.close();
    },
  };
}

/**
 * Returns the result that an error of the server means: `stale` for a failed `wait` with a timeout of zero, `not owner`
 * for a failed `assert` (RFC 7047 sections 5.2.6 and 5.2.10); null for any other error.
 */
function judgedBy(error: unknown): Judged | null {
  if (!(error instanceof OvsdbError) || error.kind !== 'operation') return null;
  if (/\(wait [^)]*\) failed: timed out/.test(error.message)) return 'stale';
  return /\(assert [^)]*\) failed: not owner/.test(error.message) ? 'not owner' : null;
}
