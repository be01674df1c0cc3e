import { type ConnectOptions, connect } from './client.ts';
import type { OvsdbClient } from './connection.ts';
import { OvsdbError } from './errors.ts';
import type { SeenIndex } from './leader.ts';
import type { Operation } from './operations.ts';
import { parseRemotes } from './remotes.ts';
import type { Results } from './results.ts';
import { createWaiters } from './waiters.ts';

/** Which database, and how to get to it. */
export interface SessionOptions extends Pick<ConnectOptions, 'credentials'> {
  /** As for `connect`; of a cluster, the leader is looked for and followed. */
  readonly remotes: string | readonly string[];
  readonly database: string;
  /** For a connection, and for each call. */
  readonly limitMs: number;
  /** Told when there is a connection and why there is none (any more). */
  readonly report?: (state: SessionState) => void;
}

export type SessionState =
  | { readonly connected: true; readonly remote: string }
  | { readonly connected: false; readonly error: OvsdbError; readonly retryInMs: number };

/** A database that is connected to again whenever the connection is lost, or its server leads no longer. */
export interface Session {
  readonly database: string;
  /** Why there is no connection; undefined while there is one, and before the first attempt has ended. */
  readonly problem: OvsdbError | undefined;
  /** The connection of now, or the next one; rejects after the limit with the reason for which there is none. */
  client(): Promise<OvsdbClient>;
  /** As that of a client, on the connection of now or the next one. It is sent once; after `lost` or `timeout` it may have been applied. */
  transact<const O extends readonly Operation[]>(operations: O): Promise<Results<O>>;
  /**
   * Runs `attach` with the connection of now and each one that follows, until the function that it returns is called. A connection for
   * which it fails is given up.
   */
  follow(attach: (client: OvsdbClient) => Promise<void>): () => void;
  /** Told when this side closes it, at once where it has; until the function that it returns is called, which leaves nothing behind. */
  onEnded(listener: (reason: OvsdbError) => void): () => void;
  close(): void;
}

/** The first pause between two attempts, as long as an ovsdb-server takes to start. Each one after it is twice as long. */
const firstPauseMs = 250;
/** The longest pause, as in Open vSwitch's own clients (lib/reconnect.h): a server that is back is found within it. */
const longestPauseMs = 8_000;

/** How long to wait after so many connections in a row that failed or did not last: none, 250 ms, 500 ms … 8 s. */
export function pauseAfter(failures: number): number {
  return failures === 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures - 1, 16));
}

/** Starts to connect at once, and goes on until `close`. Throws OvsdbError `invalid` for remotes that are none. */
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
