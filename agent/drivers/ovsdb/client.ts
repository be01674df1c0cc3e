import { dial } from './address.ts';
import { checkTimeout } from './deferred.ts';
import { OvsdbError } from './errors.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';
import { createMirror, type NotYet, type TableView, type UpdateListener, type WaitOptions } from './mirror.ts';
import { encodeOperation, type Operation } from './operations.ts';
import { type Results, readResults } from './results.ts';
import { Session } from './session.ts';
import { defaultStreamLimits } from './stream.ts';

export interface ConnectOptions {
  /** Limit for the connection to be made. */
  readonly connectTimeoutMs?: number;
  /** Limit of each call that does not bring its own. */
  readonly callTimeoutMs?: number;
  /** Limit of one message from the server. */
  readonly maxMessageBytes?: number;
  /** Asks a silent server with `echo`, and gives the connection up after as long again. 0, the default: never. */
  readonly inactivityProbeMs?: number;
}

export interface CallOptions {
  readonly timeoutMs?: number;
}

/** Table name to the columns to follow, or 'all'. */
export type MonitorRequest = Readonly<Record<string, readonly string[] | 'all'>>;

export interface MonitorOptions extends CallOptions {
  readonly onUpdate?: UpdateListener;
}

/** A live copy of some tables. */
export interface Monitor {
  readonly tables: TableView;
  /**
   * Resolves with the first thing `find` returns that is not undefined, null or false. `find` runs at once and after each
   * transaction that touched the tables, never on a timer. Rejects with `timeout`, or with the reason the connection ended.
   */
  waitUntil<T>(find: (tables: TableView) => T | NotYet, options: WaitOptions): Promise<T>;
  /** Ends the monitor (RFC 7047 section 4.1.7); waits are rejected with `closed`. */
  cancel(options?: CallOptions): Promise<void>;
}

/**
 * A healthy server on a local socket connects in under 1 ms and answers in a few; 10 s lets a loaded edge node compact a
 * large database in between. Longer would eat a boot's deadline for a server that hangs.
 */
const defaultTimeoutMs = 10_000;

/** Connects to `unix:/path` or `tcp:host:port`. Rejects with OvsdbError `unreachable`. */
export async function connect(remote: string, options: ConnectOptions = {}): Promise<OvsdbClient> {
  const { connectTimeoutMs = defaultTimeoutMs, inactivityProbeMs = 0 } = options;
  checkTimeout(inactivityProbeMs);
  const monitors = new Map<Json, (tableUpdates: Json) => void>();
  const session = new Session(await dial(remote, connectTimeoutMs), {
    remote,
    maxMessageBytes: options.maxMessageBytes ?? defaultStreamLimits.maxMessageBytes,
    inactivityProbeMs,
    // RFC 7047 section 4.1.6; an update of a monitor that was just cancelled has no receiver any more.
    onNotification: (method, [id, updates]) => {
      if (method === 'update') monitors.get(id ?? null)?.(updates ?? null);
    },
  });
  return new OvsdbClient(session, monitors, options.callTimeoutMs ?? defaultTimeoutMs);
}

/** One connection. Every call is bounded by its deadline and is rejected when the connection ends. */
export class OvsdbClient {
  /** Resolves with the reason when the connection ends, also by close(); never rejects. */
  readonly ended: Promise<OvsdbError>;
  readonly #session: Session;
  readonly #monitors: Map<Json, (tableUpdates: Json) => void>;
  readonly #callTimeoutMs: number;
  #nextMonitor = 0;

  /** Use connect(). */
  constructor(session: Session, monitors: Map<Json, (tableUpdates: Json) => void>, callTimeoutMs: number) {
    this.#session = session;
    this.#monitors = monitors;
    this.#callTimeoutMs = callTimeoutMs;
    this.ended = session.ended;
  }

  /** Why the connection ended, or undefined while it is up. */
  get endReason(): OvsdbError | undefined {
    return this.#session.endReason;
  }

  /** Any method of the protocol, for what has no function here, such as lock (RFC 7047 section 4.1.8). */
  call(method: string, params: readonly Json[], options: CallOptions = {}): Promise<Json> {
    return this.#session.call(method, params, { timeoutMs: options.timeoutMs ?? this.#callTimeoutMs });
  }

  /** Names of the databases, RFC 7047 section 4.1.1. */
  async listDbs(options?: CallOptions): Promise<readonly string[]> {
    const names = await this.call('list_dbs', [], options);
    if (isJsonArray(names) && names.every((name) => typeof name === 'string')) return names;
    throw new OvsdbError('protocol', 'list_dbs: the reply is not a list of names');
  }

  /** The schema as the server gives it, RFC 7047 sections 3.2 and 4.1.2. Rejects with `operation` "unknown database". */
  async getSchema(database: string, options?: CallOptions): Promise<JsonObject> {
    const schema = await this.call('get_schema', [database], options);
    if (isJsonObject(schema)) return schema;
    throw new OvsdbError('protocol', 'get_schema: the reply is not an object');
  }

  /**
   * Asks whether the server is alive, RFC 7047 section 4.1.11. ovsdb-server sends the news of a commit to every monitor before it answers
   * what came after it: with the answer, everybody's news is on the way.
   */
  async echo(options?: CallOptions): Promise<void> {
    await this.call('echo', [], options);
  }

  /**
   * Runs all operations as one atomic transaction, RFC 7047 section 4.1.3. Without
   * `timeoutMs` the limit is that of every call plus what the wait operations may take; when it passes, the transaction is
   * cancelled (4.1.4). On failure, `details.mayHaveApplied` of the OvsdbError tells whether the server may have applied it
   * all the same; it is false only when that is certain.
   */
  async transact<const O extends readonly Operation[]>(
    database: string,
    operations: O,
    options: CallOptions = {},
  ): Promise<Results<O>> {
    const waitsMs = operations.reduce((sum, operation) => sum + (operation.op === 'wait' ? operation.timeoutMs : 0), 0);
    const timeoutMs = options.timeoutMs ?? this.#callTimeoutMs + waitsMs;
    const params = [database, ...operations.map(encodeOperation)];
    return readResults(operations, await this.#session.call('transact', params, { timeoutMs, cancelLate: true }));
  }

  /** Follows tables, RFC 7047 section 4.1.5. Resolves when the content is there. */
  async monitor(database: string, request: MonitorRequest, options: MonitorOptions = {}): Promise<Monitor> {
    const mirror = createMirror(Object.keys(request), options.onUpdate);
    const id = `monitor-${this.#nextMonitor++}`;
    // The first updates can come in the same packet as the reply, before this function goes on.
    const early: Json[] = [];
    this.#monitors.set(id, (updates) => early.push(updates));
    try {
      mirror.load(await this.call('monitor', [database, id, encodeMonitorRequest(request)], options));
      early.forEach(mirror.apply);
    } catch (error) {
      this.#monitors.delete(id);
      throw error;
    }
    this.#monitors.set(id, mirror.apply);
    void this.ended.then((reason) => mirror.fail(reason));
    return {
      tables: mirror.view,
      waitUntil: mirror.waitUntil,
      cancel: async (cancelOptions) => {
        mirror.fail(new OvsdbError('closed', 'the monitor was cancelled'));
        this.#monitors.delete(id);
        // The server forgets monitors with their connection.
        if (this.endReason === undefined) await this.call('monitor_cancel', [id], cancelOptions);
      },
    };
  }

  /** Ends the connection. Calls and waits still open are rejected with `closed`. */
  close(): void {
    this.#session.close();
  }
}

function encodeMonitorRequest(request: MonitorRequest): JsonObject {
  return Object.fromEntries(
    Object.entries(request).map(([table, columns]) => [table, columns === 'all' ? {} : { columns }]),
  );
}
