import type { OvsdbClient } from './connection.ts';
import { OvsdbError } from './errors.ts';
import { isJsonObject } from './json.ts';
import type { Session } from './session.ts';
import { createWaiters } from './waiters.ts';

/**
 * A named lock of the server (RFC 7047 sections 4.1.8 to 4.1.10). It belongs to the connection: it is asked for again on each new one, and
 * others can have had it meanwhile. It keeps nobody from writing: put `assertLock` into each transaction that needs it.
 */
export interface Lock {
  readonly isHeld: boolean;
  /** Resolves when this side holds it. Rejects with `timeout` after the limit; it is still waited for then. */
  held(limitMs: number): Promise<void>;
  /** Told each time that it is got or lost, until the function that it returns is called. */
  onChange(listener: (isHeld: boolean) => void): () => void;
  /** Gives it back, or waits for it no longer. */
  release(): Promise<void>;
}

/**
 * Asks for a lock. Another holder keeps it until it gives it back, ends or loses it to `steal`, which takes it away at once; the victim is
 * the next to get it. Only the first request steals: after a loss of the connection the lock is waited for. A session can have a lock of
 * one name once.
 */
export function openLock(session: Session, name: string, { steal = false } = {}): Lock {
  const waiters = createWaiters();
  const listeners = new Set<(isHeld: boolean) => void>();
  let owner: OvsdbClient | undefined;
  let method = steal ? 'steal' : 'lock';
  let connection: OvsdbClient | undefined;
  let stop = (): void => {};

  const set = (client: OvsdbClient | undefined): void => {
    if (owner === client) return;
    owner = client;
    for (const listener of [...listeners]) listener(owner !== undefined);
    waiters.wake();
  };
  const attach = async (client: OvsdbClient): Promise<void> => {
    let isTold = false;
    connection = client;
    void client.ended.then(() => {
      if (connection === client) connection = undefined;
      if (owner === client) set(undefined);
    });
    stop = client.onNotice((notice, [lock]) => {
      if (lock !== name || connection !== client || !['locked', 'stolen'].includes(notice)) return;
      isTold = true;
      set(notice === 'locked' ? client : undefined);
    });
    const request = method;
    method = 'lock';
    const reply = await client.call(request, [name]);
    // A notice that was read together with the reply is newer than it.
    if (!isTold && connection === client && isJsonObject(reply) && reply.locked === true) set(client);
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
      waiters.end(new OvsdbError('closed', `lock ${name} given back by this side`));
      await client?.call('unlock', [name]).catch((error: OvsdbError) => {
        // A connection that has ended gave it back.
        if (!['lost', 'closed'].includes(error.kind)) throw error;
      });
    },
  };
}
