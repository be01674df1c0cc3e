import type { Socket } from 'node:net';
import { isJsonArray, type Json, type JsonObject } from './json.ts';
import type { Operation } from './operations.ts';
import { OvsdbError } from './ovsdb-errors.ts';
import { type Results, readResults, refusedCall } from './results.ts';
import { createMessageStream } from './stream.ts';

/**
 * Function that receives notifications of the server (RFC 7047 sections 4.1.6, 4.1.9, 4.1.10; ovsdb-server(7) 4.1.14
 * and 4.1.16).
 */
export type NoticeListener = (method: string, params: readonly Json[]) => void;

/** JSON-RPC 1.0 connection, as in RFC 7047 section 4. After the connection has ended, every call is rejected. */
export interface OvsdbClient {
  /** Server, as a connection method of ovsdb(7). */
  readonly remote: string;
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<OvsdbError>;
  /**
   * Runs all operations as one atomic transaction (RFC 7047 section 4.1.3). The time limit is that of every call plus
   * the timeouts of the wait operations. After `lost` or `timeout`, the server may nevertheless have applied the
   * transaction.
   */
  transact<const O extends readonly Operation[]>(database: string, operations: O): Promise<Results<O>>;
  /** Calls any method of the protocol, such as `echo` (RFC 7047 section 4.1.11). */
  call(method: string, params: readonly Json[]): Promise<Json>;
  /** Passes every notification to the listener, in the order of the stream, until the returned function is called. */
  onNotice(listener: NoticeListener): () => void;
  /** Ends the connection. Pending calls are rejected with `closed`, or with the given reason. */
  close(reason?: OvsdbError): void;
}

/**
 * Number of bytes, as many as Node.js reads from a socket at once, after which the rest waits for the next turn of the
 * event loop. Parsing them takes some milliseconds. Without a pause, Node.js would read up to 32 times as much in one
 * turn (libuv, uv__read).
 */
const bytesPerTurn = 64 * 1024;

interface PendingCall {
  readonly method: string;
  readonly resolve: (result: Json) => void;
  readonly reject: (error: OvsdbError) => void;
  readonly timer: NodeJS.Timeout;
}

/** Options of a connection. */
export interface ConnectionOptions {
  readonly remote: string;
  /** Time limit of each call, in ms. */
  readonly limitMs: number;
  /**
   * Time, in ms, without data after which the server is probed with `echo`; undefined for no probes, as on unix sockets
   * (ovsdb(7)).
   */
  readonly probeMs?: number | undefined;
}

/** Opens an OVSDB connection over a connected stream. */
export function openConnection(socket: Socket, { remote, limitMs, probeMs }: ConnectionOptions): OvsdbClient {
  const pending = new Map<Json, PendingCall>();
  const listeners = new Set<NoticeListener>();
  let nextId = 0;
  let bytesSincePause = 0;
  let end: OvsdbError | undefined;
  let socketError: Error | undefined;
  let resolveEnded: (reason: OvsdbError) => void = () => {};
  const ended = new Promise<OvsdbError>((resolve) => {
    resolveEnded = resolve;
  });

  const take = (id: Json): PendingCall | undefined => {
    const call = pending.get(id);
    pending.delete(id);
    clearTimeout(call?.timer);
    return call;
  };
  const finish = (reason: OvsdbError): void => {
    if (end !== undefined) return;
    end = reason;
    clearTimeout(probe);
    socket.destroy();
    for (const id of [...pending.keys()]) {
      const call = take(id);
      call?.reject(new OvsdbError(reason.kind, `${call.method} not answered: ${reason.message}`, reason));
    }
    resolveEnded(reason);
  };
  const receive = (message: JsonObject): void => {
    const { id = null, method, params } = message;
    if (typeof method === 'string') {
      // `echo` is the only request that a server sends (RFC 7047 section 4.1.11). A message without an id is a
      // notification.
      const answer =
        method === 'echo' ? { result: params ?? [], error: null } : { result: null, error: 'unknown method' };
      if (id !== null) socket.write(JSON.stringify({ id, ...answer }));
      else if (isJsonArray(params)) for (const listener of [...listeners]) listener(method, params);
    } else if (typeof id === 'number') {
      // `call` is undefined if the answer arrived after the time limit of the call.
      const call = take(id);
      const error = message.error ?? null;
      if (error === null) call?.resolve(message.result ?? null);
      else call?.reject(refusedCall(call.method, error));
    } else {
      throw new OvsdbError('protocol', 'a message that is neither request, reply nor notification');
    }
  };
  const stream = createMessageStream(receive);
  socket.on('data', (chunk) => {
    if (end !== undefined) return;
    probe?.refresh();
    try {
      stream.push(chunk);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const isTooLarge = error instanceof OvsdbError && error.kind === 'too-large';
      finish(
        isTooLarge
          ? new OvsdbError('too-large', `connection to ${remote} closed by this side: ${why}`, error)
          : new OvsdbError('protocol', `${remote} does not speak OVSDB: ${why}`, error),
      );
    }
  });
  socket.on('data', (chunk) => {
    bytesSincePause += chunk.length;
    if (bytesSincePause < bytesPerTurn) return;
    bytesSincePause = 0;
    socket.pause();
    setImmediate(() => socket.resume());
  });
  socket.on('error', (error) => {
    socketError = error;
  });
  socket.on('close', () => {
    const inMessage = stream.pendingBytes() > 0 ? ' in the middle of a message' : '';
    const why = socketError?.message ?? `closed by the server${inMessage}`;
    finish(new OvsdbError('lost', `connection to ${remote} lost: ${why}`, socketError));
  });

  const call = (method: string, params: readonly Json[], callLimitMs = limitMs): Promise<Json> =>
    new Promise((resolve, reject) => {
      if (end !== undefined) return reject(new OvsdbError(end.kind, `${method} not sent: ${end.message}`, end));
      const id = nextId++;
      const timer = setTimeout(() => {
        pending.delete(id);
        reject(new OvsdbError('timeout', `${method} not answered within ${callLimitMs} ms`));
      }, callLimitMs);
      pending.set(id, { method, resolve, reject, timer });
      socket.write(JSON.stringify({ id, method, params }));
      return undefined;
    });
  const probeServer = (): void => {
    call('echo', []).catch((error: OvsdbError) => {
      if (error.kind !== 'timeout') return;
      finish(new OvsdbError('lost', `connection to ${remote} lost: the server is silent, ${error.message}`, error));
    });
  };
  const probe = probeMs === undefined ? undefined : setTimeout(probeServer, probeMs);

  return {
    remote,
    ended,
    transact: async (database, operations) => {
      const waitsMs = operations.reduce((sum, operation) => sum + (operation.op === 'wait' ? operation.timeout : 0), 0);
      return readResults(operations, await call('transact', [database, ...operations], limitMs + waitsMs));
    },
    call: (method, params) => call(method, params),
    onNotice: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: (reason) => finish(reason ?? new OvsdbError('closed', `connection to ${remote} closed by this side`)),
  };
}
