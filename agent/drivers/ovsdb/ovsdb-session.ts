import type { SeenIndex } from './leader.ts';
import type { Operation } from './operations.ts';
import { type ConnectOptions, connect } from './ovsdb-client.ts';
import type { OvsdbClient } from './ovsdb-connection.ts';
import { OvsdbError } from './ovsdb-errors.ts';
import { parseRemotes } from './remotes.ts';
import type { Results } from './results.ts';
import { createWaiters } from './waiters.ts';

/** Options of a session: the database, and the servers that have it. */
export interface SessionOptions extends Pick<ConnectOptions, 'credentials'> {
  /**
   * Connection methods (ovsdb(7)) of the servers, as a list or as one text with commas. The session finds the leader of
   * a cluster and follows it.
   */
  readonly remotes: string | readonly string[];
  readonly database: string;
  /** Time limit of a connection attempt and of each call, in ms. */
  readonly limitMs: number;
  /** Receives the state of the session after each new connection, and after each failed or lost connection. */
  readonly report?: (state: SessionState) => void;
}

export type SessionState =
  | { readonly connected: true; readonly remote: string }
  | { readonly connected: false; readonly error: OvsdbError; readonly retryInMs: number };

/**
 * Access to a database. The session connects again each time the connection is lost or the server is no longer the
 * leader.
 */
export interface Session {
  readonly database: string;
  /**
   * Error of the last attempt, or the reason why the last connection was lost; undefined while there is a connection,
   * and before the first attempt has ended.
   */
  readonly problem: OvsdbError | undefined;
  /**
   * Returns the current connection, or waits for the next one. Rejects with the reason if no connection exists at the
   * end of `limitMs`.
   */
  client(): Promise<OvsdbClient>;
  /**
   * Runs a transaction on the current connection or the next one, with the same results and errors as `transact` of
   * OvsdbClient. The transaction is sent once; after the error `lost` or `timeout`, the server may have applied it.
   */
  transact<const O extends readonly Operation[]>(operations: O): Promise<Results<O>>;
  /**
   * Calls `attach` with the current connection and each later one, until the returned function is called. A connection
   * for which `attach` fails is closed.
   */
  follow(attach: (client: OvsdbClient) => Promise<void>): () => void;
  /**
   * Calls the listener when the session is closed, or at once if it is already closed. The returned function removes
   * the listener.
   */
  onEnded(listener: (reason: OvsdbError) => void): () => void;
  close(): void;
}

/**
 * Pause between the second and the third attempt, in ms; an ovsdb-server can start in this time. The second attempt
 * follows the first without a pause. Each later pause is twice as long as the one before it.
 */
const firstPauseMs = 250;
/**
 * Longest pause between two attempts, in ms, as in Open vSwitch's own clients (lib/reconnect.h). A server that is
 * reachable again is noticed within this time.
 */
const longestPauseMs = 8_000;

/**
 * Returns the pause after a failed attempt or a lost connection, in ms: 0, 250, 500 … 8000. `failures` is the number of
 * failures in succession before this one; a connection that lasted for at least `longestPauseMs` resets it to 0.
 */
export function pauseAfter(failures: number): number {
  return failures === 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures - 1, 16));
}

/** Begins to connect at once, and continues until `close`. Throws OvsdbError `invalid` for invalid remotes. */
export function openSession({ remotes, database, limitMs, credentials, report = () => {} }: SessionOptions): Session {
  parseRemotes(remotes);
  const waiters = createWaiters();
  const followers = new Set<(client: OvsdbClient) => Promise<void>>();
  let current: OvsdbClient | undefined;
  let lastError: OvsdbError | undefined;
  let failures = 0;
  let closed: OvsdbError | undefined;
  let timer: NodeJS.Timeout | undefined;
  const seen: SeenIndex = { clusterId: undefined, index: 0 };
  const stop = new AbortController();
  const endListeners = new Set<(reason: OvsdbError) => void>();

  const attach = (client: OvsdbClient, follower: (client: OvsdbClient) => Promise<void>): void => {
    follower(client).catch((error: OvsdbError) => client.close(error));
  };
  const live = async (): Promise<OvsdbError> => {
    const client = await connect(remotes, limitMs, { credentials, leaderOf: database, seen, signal: stop.signal });
    if (closed !== undefined) {
      client.close(closed);
      return closed;
    }
    const since = performance.now();
    current = client;
    lastError = undefined;
    report({ connected: true, remote: client.remote });
    for (const follower of followers) attach(client, follower);
    waiters.wake();
    const reason = await client.ended;
    current = undefined;
    if (performance.now() - since >= longestPauseMs) failures = 0;
    return reason;
  };
  const run = async (): Promise<void> => {
    lastError = await live().catch((error: OvsdbError) => error);
    if (closed !== undefined) return;
    const retryInMs = pauseAfter(failures++);
    report({ connected: false, error: lastError, retryInMs });
    timer = setTimeout(() => void run(), retryInMs);
  };
  void run();

  const client = (): Promise<OvsdbClient> =>
    waiters.until(
      () => current,
      limitMs,
      () => {
        const why = lastError?.message ?? 'no answer yet';
        const kind = lastError?.kind ?? 'unreachable';
        return new OvsdbError(kind, `no connection to ${database} within ${limitMs} ms: ${why}`, lastError);
      },
    );
  return {
    database,
    get problem() {
      return lastError;
    },
    client,
    transact: async (operations) => (await client()).transact(database, operations),
    follow: (follower) => {
      followers.add(follower);
      if (current !== undefined) attach(current, follower);
      return () => followers.delete(follower);
    },
    onEnded: (listener) => {
      if (closed !== undefined) listener(closed);
      else endListeners.add(listener);
      return () => endListeners.delete(listener);
    },
    close: () => {
      closed = new OvsdbError('closed', `session with ${database} closed by this side`);
      clearTimeout(timer);
      stop.abort();
      current?.close(closed);
      waiters.end(closed);
      for (const listener of endListeners) listener(closed);
      endListeners.clear();
    },
  };
}
