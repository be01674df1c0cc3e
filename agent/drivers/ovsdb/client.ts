import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { OvsdbError } from './errors.ts';
import type { Json, JsonObject } from './json.ts';
import type { Operation } from './operations.ts';
import { type Results, readResults, refusedCall } from './results.ts';
import { createMessageStream } from './stream.ts';

/** One JSON-RPC 1.0 connection as RFC 7047 section 4 uses it. Once it has ended, it stays ended, and every call is rejected. */
export interface OvsdbClient {
  /**
   * Runs all operations as one atomic transaction, RFC 7047 section 4.1.3. Its limit is that of every call plus what the wait operations
   * may take. After `lost` or `timeout` the server may have applied it all the same.
   */
  transact<const O extends readonly Operation[]>(database: string, operations: O): Promise<Results<O>>;
  /** Any method of the protocol, such as `echo` (RFC 7047 section 4.1.11). */
  call(method: string, params: readonly Json[]): Promise<Json>;
  /** Ends the connection. Calls still open are rejected with `closed`. */
  close(): void;
}

interface PendingCall {
  readonly method: string;
  readonly resolve: (result: Json) => void;
  readonly reject: (error: OvsdbError) => void;
  readonly timer: NodeJS.Timeout;
}

/** Connects to a unix socket; `limitMs` bounds that and each call. Rejects with OvsdbError `unreachable`. */
export async function connect(path: string, limitMs: number): Promise<OvsdbClient> {
  const socket = await dial(path, limitMs);
  const pending = new Map<Json, PendingCall>();
  let nextId = 0;
  let end: OvsdbError | undefined;
  let socketError: Error | undefined;

  const take = (id: Json): PendingCall | undefined => {
    const call = pending.get(id);
    pending.delete(id);
    clearTimeout(call?.timer);
    return call;
  };
  const finish = (reason: OvsdbError): void => {
    if (end !== undefined) return;
    end = reason;
    socket.destroy();
    for (const id of [...pending.keys()]) {
      const call = take(id);
      call?.reject(new OvsdbError(reason.kind, `${call.method} not answered: ${reason.message}`, reason));
    }
  };
  const receive = (message: JsonObject): void => {
    const { id = null, method, params } = message;
    if (typeof method === 'string') {
      // RFC 7047 section 4.1.11: echo is the only request a server sends. What has no id is no request.
      const answer =
        method === 'echo' ? { result: params ?? [], error: null } : { result: null, error: 'unknown method' };
      if (id !== null) socket.write(JSON.stringify({ id, ...answer }));
    } else if (typeof id === 'number') {
      const call = take(id); // none: answered after its limit
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
    try {
      stream.push(chunk);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      finish(new OvsdbError('protocol', `unix:${path} does not speak OVSDB: ${why}`, error));
    }
  });
  socket.on('error', (error) => {
    socketError = error;
  });
  socket.on('close', () => {
    const inMessage = stream.pendingBytes() > 0 ? ' in the middle of a message' : '';
    const why = socketError?.message ?? `closed by the server${inMessage}`;
    finish(new OvsdbError('lost', `connection to unix:${path} lost: ${why}`, socketError));
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

  return {
    transact: async (database, operations) => {
      const waitsMs = operations.reduce((sum, operation) => sum + (operation.op === 'wait' ? operation.timeout : 0), 0);
      return readResults(operations, await call('transact', [database, ...operations], limitMs + waitsMs));
    },
    call: (method, params) => call(method, params),
    close: () => finish(new OvsdbError('closed', `connection to unix:${path} closed by this side`)),
  };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the socket does not exist, ovsdb-server is not running',
  ECONNREFUSED: 'nobody listens there, ovsdb-server is not running',
  EACCES: 'permission denied',
  EAGAIN: 'the server does not accept connections',
};

async function dial(path: string, limitMs: number): Promise<Socket> {
  const socket = createConnection(path);
  const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${limitMs} ms`)), limitMs);
  try {
    await once(socket, 'connect');
    return socket;
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    throw new OvsdbError('unreachable', `cannot connect to unix:${path}: ${reasons[code] ?? message}`, cause);
  } finally {
    clearTimeout(timer);
  }
}
