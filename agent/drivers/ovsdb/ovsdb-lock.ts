import { isJsonObject } from './json.ts';
import type { OvsdbClient } from './ovsdb-connection.ts';
import { OvsdbError } from './ovsdb-errors.ts';
import type { Session } from './ovsdb-session.ts';
import { createWaiters } from './waiters.ts';

/**
 * A named lock of the server (RFC 7047 sections 4.1.8 to 4.1.10). The lock belongs to the connection and is requested
 * again on each new connection; other clients may have held it in between. The lock does not prevent writes: each
 * transaction that needs it has to contain `assertLock`.
 */
export interface Lock {
  readonly isHeld: boolean;
  /**
   * Resolves when this client holds the lock. Rejects with OvsdbError `timeout` if it does not hold the lock within
   * `limitMs`; the request for the lock remains.
   */
  held(limitMs: number): Promise<void>;
  /** Calls the listener whenever the lock is acquired or lost, until the returned function is called. */
  onChange(listener: (isHeld: boolean) => void): () => void;
  /** Releases the lock, or cancels the request for it. */
  release(): Promise<void>;
}

/**
 * Requests a lock. If another client holds the lock, the request waits until that client releases the lock or ends its
 * connection. A session can request a lock of the same name only once.
 */
export function openLock(session: Session, name: string): Lock {
  const waiters = createWaiters();
  const listeners = new Set<(isHeld: boolean) => void>();
  let owner: OvsdbClient | undefined;
  let connection: OvsdbClient | undefined;
  let stop = (): void => {};

  const set = (client: OvsdbClient | undefined): void => {
    if (owner === client) return;
    owner = client;
    for (const listener of [...listeners]) listener(owner !== undefined);
    waiters.wake();
  };
  const attach = async (client: OvsdbClient): Promise<void> => {
    let isNotified = false;
    connection = client;
    void client.ended.then(() => {
      if (connection === client) connection = undefined;
      if (owner === client) set(undefined);
    });
    stop = client.onNotice((notice, [lock]) => {
      if (lock !== name || connection !== client || !['locked', 'stolen'].includes(notice)) return;
      isNotified = true;
      set(notice === 'locked' ? client : undefined);
    });
    const reply = await client.call('lock', [name]);
    // A `locked` or `stolen` notification that arrived together with the reply takes precedence: the server sent it
    // after the reply.
    if (!isNotified && connection === client && isJsonObject(reply) && reply.locked === true) set(client);
  };
  const detach = session.follow(attach);
  const forgetEnd = session.onEnded(waiters.end);

  return {
    get isHeld() {
      return owner !== undefined;
    },
    held: async (limitMs) => {
      await waiters.until(
        () => owner,
        limitMs,
        () => new OvsdbError('timeout', `lock ${name} not got within ${limitMs} ms`, session.problem),
      );
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    release: async () => {
      detach();
      forgetEnd();
      stop();
      const client = connection;
      connection = undefined;
      set(undefined);
      waiters.end(new OvsdbError('closed', `lock ${name} released by this side`));
      await client?.call('unlock', [name]).catch((error: OvsdbError) => {
        // If the connection has ended, the failure of `unlock` is ignored: the end of the connection has already
        // released the lock.
        if (!['lost', 'closed'].includes(error.kind)) throw error;
      });
    },
  };
}
