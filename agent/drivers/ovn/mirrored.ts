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
import { fromOvn } from './errors.ts';

export type { MirrorRow, MirrorTable, RowChange } from '../ovsdb/index.ts';

/** As for the calls of database.ts: a loaded machine, a slow link. */
const limitMs = 15_000;
/** A connection whose monitor is not answered within its limit is given up before. */
const freshMs = 4 * limitMs;

/** Which database, what of it, and the lock without which nothing is written. */
export interface MirrorRequest {
  readonly database: string;
  /** `unix:FILE`, `ssl:HOST:PORT`, …; several with commas. */
  readonly remote: string;
  readonly credentials?: Credentials;
  /** The tables, each with what its rows are looked up by (drivers/ovsdb, TableRequest.indexes). */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  readonly lock: string;
  /** Told why there is no connection, and null as soon as there is one. */
  readonly report: (error: AgentError | null) => void;
}

/** How a transaction ended that the server has judged: `stale`: a row was not as it was read, and nothing was written. */
export type Judged = 'written' | 'stale' | 'not owner';

/** A database as it is from moment to moment, for one writer of several: the one that has the lock. */
export interface MirroredDatabase {
  /** Its schema as the server of now writes it (RFC 7047 section 3.2). */
  readonly schema: JsonObject;
  /** Whether this side has the lock, and the contents are those of now. */
  readonly isOwner: boolean;
  table(name: string): MirrorTable;
  /** Told of the changes of each transaction at once. */
  onChange(listener: (changes: readonly RowChange[]) => void): void;
  /** Told when this side may write, or may not any more. */
  onOwner(listener: (isOwner: boolean) => void): void;
  /**
   * All of the operations as one transaction, while this side has the lock; what it wrote is in the mirror then. Fails with `ovsdb-refused` where the
   * server does not take them; with another kind it may have written them all the same.
   */
  transact(what: string, operations: readonly Operation[]): Promise<Judged>;
  /** Gives the lock back and ends the connection. */
  close(): Promise<void>;
}

/**
 * Follows a database and asks for the lock; resolves with its first contents. The connection is made anew whenever it is lost. Fails where there are
 * no contents within 15 s, or `stop` is aborted.
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
    // Asked before the mirror asks for the contents, and so answered before they are there.
    schema = (await client.call('get_schema', [database])) as JsonObject;
  });
  const tables = Object.fromEntries(Object.entries(request.tables).map(([name, indexes]) => [name, { indexes }]));
  try {
    const mirror = await openMirror(session, tables, limitMs);
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
  const tell = (isOwner: boolean): void => {
    for (const listener of listeners) listener(isOwner);
  };
  let isTold = false;
  const got = (): void => {
    // A lock can be got before the contents of a new connection are there.
    const fresh = mirror.until(() => lock.isHeld, freshMs);
    const told = fresh.then(() => {
      if (isTold || !lock.isHeld) return;
      isTold = true;
      tell(true);
    });
    told.catch(() => undefined);
  };
  lock.onChange((isHeld) => {
    if (isHeld) return got();
    isTold = false;
    return tell(false);
  });
  if (lock.isHeld) got();
  return {
    get schema() {
      return schema();
    },
    get isOwner() {
      return isTold && lock.isHeld && mirror.isFresh;
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

/** RFC 7047 sections 5.2.6 and 5.2.10: what a `wait` of no time, and an `assert`, fail with. */
function judgedBy(error: unknown): Judged | null {
  if (!(error instanceof OvsdbError) || error.kind !== 'operation') return null;
  if (/\(wait [^)]*\) failed: timed out/.test(error.message)) return 'stale';
  return /\(assert [^)]*\) failed: not owner/.test(error.message) ? 'not owner' : null;
}
