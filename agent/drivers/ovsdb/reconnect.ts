import { setTimeout as delay } from 'node:timers/promises';
import { parseRemote } from './address.ts';
import {
  type CallOptions,
  type ConnectOptions,
  connect,
  type Monitor,
  type MonitorOptions,
  type MonitorRequest,
  monitorCancelled,
  type OvsdbClient,
  type StopMonitor,
} from './client.ts';
import { checkTimeout, type Deferred, deferWithin } from './deferred.ts';
import { OvsdbError } from './errors.ts';
import { createMirror, type Mirror } from './mirror.ts';
import type { Operation } from './operations.ts';
import type { Results } from './results.ts';

export interface ReconnectOptions extends Omit<ConnectOptions, 'signal'> {
  /** How long it may be without a connection before it gives up for good. */
  readonly giveUpAfterMs: number;
  /** Pause after the first failed attempt; it doubles with each further one. */
  readonly minBackoffMs?: number;
  /** Longest pause. */
  readonly maxBackoffMs?: number;
}

/**
 * A restarting ovsdb-server is away for 50 to 500 ms. Shorter pauses only burn CPU while it loads its file; a longer cap
 * would add up to its length to the outage of a node that waits for it.
 */
const defaultMinBackoffMs = 20;
const defaultMaxBackoffMs = 500;

/** How long calls that bring no limit of their own wait for a connection; the same as a call's own limit. */
const defaultTimeoutMs = 10_000;

interface Followed {
  readonly database: string;
  readonly request: MonitorRequest;
  readonly mirror: Mirror;
  stop: StopMonitor | undefined;
}

/**
 * Keeps a connection to `remote` until close(), or until there was none for `giveUpAfterMs`. Returns at once; the first
 * connection is made like the later ones. Throws TypeError when `remote` or the time is malformed.
 */
export function keepConnected(remote: string, options: ReconnectOptions): ReconnectingClient {
  parseRemote(remote);
  checkTimeout(options.giveUpAfterMs);
  return new ReconnectingClient(remote, options);
}

/** A client whose monitors and waits outlive the connection. Transactions do not: see transact(). */
export class ReconnectingClient {
  readonly #remote: string;
  readonly #options: ReconnectOptions;
  readonly #stop = new AbortController();
  readonly #followed = new Set<Followed>();
  readonly #waiting = new Set<Deferred<OvsdbClient>>();
  #client: OvsdbClient | undefined;
  #failure: Error | undefined;
  /** Why there is no connection at the moment. */
  #trouble: OvsdbError | undefined;

  /** Use keepConnected(). */
  constructor(remote: string, options: ReconnectOptions) {
    this.#remote = remote;
    this.#options = options;
    void this.#run().catch((error: Error) => this.#fail(error));
  }

  /** The connection of the moment, waiting for one if need be. Rejects with `unreachable`, or `closed`. */
  async connected(options: CallOptions = {}): Promise<OvsdbClient> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#client?.endReason === undefined && this.#client !== undefined) return this.#client;
    const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    const deferred = deferWithin<OvsdbClient>(timeoutMs, () => this.#unreachable(timeoutMs));
    this.#waiting.add(deferred);
    return deferred.promise.finally(() => this.#waiting.delete(deferred));
  }

  /**
   * Like OvsdbClient.transact, on the connection of the moment, waiting for one if need be; an explicit `timeoutMs` covers
   * both. Sent once: when the connection is lost before the reply nobody knows whether it was applied, and only the caller
   * can tell whether doing it twice is harmless.
   */
  async transact<const O extends readonly Operation[]>(
    database: string,
    operations: O,
    options: CallOptions = {},
  ): Promise<Results<O>> {
    const startedAt = performance.now();
    const client = await this.connected(options);
    if (options.timeoutMs === undefined) return client.transact(database, operations);
    const timeoutMs = Math.max(0, options.timeoutMs - (performance.now() - startedAt));
    return client.transact(database, operations, { timeoutMs });
  }

  /**
   * Like OvsdbClient.monitor, but for as long as this client lives: after a loss it is set up again on the next connection,
   * `onUpdate` gets the difference, and waits go on. Meanwhile `tables` shows the last known content.
   */
  async monitor(database: string, request: MonitorRequest, options: MonitorOptions = {}): Promise<Monitor> {
    const mirror = createMirror(Object.keys(request), options.onUpdate);
    const followed: Followed = { database, request, mirror, stop: undefined };
    await this.#followFirst(followed, options.timeoutMs ?? defaultTimeoutMs);
    return {
      tables: mirror.view,
      waitUntil: mirror.waitUntil,
      cancel: async (cancelOptions) => {
        this.#followed.delete(followed);
        mirror.fail(monitorCancelled());
        await followed.stop?.(cancelOptions);
      },
    };
  }

  /** Ends it for good. Calls and waits still open are rejected with `closed`. */
  close(): void {
    this.#fail(new OvsdbError('closed', `connection to ${this.#remote} closed by this side`, { remote: this.#remote }));
  }

  async #followFirst(followed: Followed, totalMs: number): Promise<void> {
    const deadline = performance.now() + totalMs;
    for (;;) {
      const timeoutMs = Math.max(0, deadline - performance.now());
      const client = await this.connected({ timeoutMs });
      try {
        followed.stop = await client.follow(followed.database, followed.request, followed.mirror, { timeoutMs });
        this.#followed.add(followed);
        if (client.endReason === undefined) return;
        this.#followed.delete(followed);
      } catch (error) {
        // A loss is what this class is for: the next connection is tried, as long as there is time.
        if (!(error instanceof OvsdbError && error.kind === 'lost')) throw error;
      }
    }
  }

  async #run(): Promise<void> {
    const { minBackoffMs = defaultMinBackoffMs, maxBackoffMs = defaultMaxBackoffMs, giveUpAfterMs } = this.#options;
    let backoffMs = minBackoffMs;
    let downSince = performance.now();
    for (;;) {
      const upMs = await this.#connectOnce(giveUpAfterMs - (performance.now() - downSince));
      // A server that accepts and dies at once is not a connection: backoff and the give-up clock go on.
      if (upMs > maxBackoffMs) {
        backoffMs = minBackoffMs;
        downSince = performance.now();
      }
      if (performance.now() + backoffMs - downSince >= giveUpAfterMs) throw this.#unreachable(giveUpAfterMs);
      await delay(backoffMs, undefined, { signal: this.#stop.signal });
      backoffMs = Math.min(2 * backoffMs, maxBackoffMs);
    }
  }

  /** One connection from dial to end; returns how long it was up. Throws only what is a defect. */
  async #connectOnce(remainingMs: number): Promise<number> {
    const limitMs = Math.max(1, Math.min(this.#options.connectTimeoutMs ?? defaultTimeoutMs, remainingMs));
    const options = { ...this.#options, connectTimeoutMs: limitMs, signal: this.#stop.signal };
    let client: OvsdbClient | undefined;
    const close = (): void => client?.close();
    this.#stop.signal.addEventListener('abort', close);
    try {
      client = await connect(this.#remote, options);
      this.#stop.signal.throwIfAborted();
      await this.#followAll(client, limitMs);
      const upSince = performance.now();
      this.#publish(client);
      this.#trouble = await client.ended;
      return performance.now() - upSince;
    } catch (error) {
      if (!(error instanceof OvsdbError)) throw error;
      this.#trouble = error;
      return 0;
    } finally {
      this.#stop.signal.removeEventListener('abort', close);
      close();
      for (const { mirror } of this.#followed) mirror.detach();
    }
  }

  async #followAll(client: OvsdbClient, timeoutMs: number): Promise<void> {
    for (const followed of this.#followed) {
      followed.stop = await client.follow(followed.database, followed.request, followed.mirror, { timeoutMs });
      if (!this.#followed.has(followed)) await followed.stop(); // cancelled meanwhile
    }
  }

  #publish(client: OvsdbClient): void {
    this.#client = client;
    for (const deferred of this.#waiting) deferred.resolve(client);
  }

  #fail(reason: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    this.#stop.abort();
    for (const deferred of this.#waiting) deferred.reject(reason);
    for (const { mirror } of this.#followed) mirror.fail(reason);
  }

  #unreachable(timeoutMs: number): OvsdbError {
    const reason = this.#trouble === undefined ? '' : `: ${this.#trouble.message}`;
    const message = `no connection to ${this.#remote} for ${Math.round(timeoutMs)} ms${reason}`;
    return new OvsdbError('unreachable', message, { remote: this.#remote, timeoutMs }, this.#trouble);
  }
}
