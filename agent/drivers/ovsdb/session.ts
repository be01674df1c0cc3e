import type { Socket } from 'node:net';
import { checkTimeout } from './deferred.ts';
import { OvsdbError, type OvsdbErrorKind } from './errors.ts';
import { formatJson, isJsonArray, type Json, type JsonObject } from './json.ts';
import { refusedCall } from './results.ts';
import { createMessageStream, type MessageStream } from './stream.ts';

export interface SessionOptions {
  readonly remote: string;
  readonly maxMessageBytes: number;
  /** Silence after which we ask with `echo`; as much silence again means lost. 0: never ask. */
  readonly inactivityProbeMs: number;
  readonly onNotification: (method: string, params: readonly Json[]) => void;
}

export interface SessionCallOptions {
  readonly timeoutMs: number;
  /** Sends `cancel` (RFC 7047 section 4.1.4) at the deadline. */
  readonly cancelLate?: boolean;
}

interface PendingCall {
  readonly method: string;
  readonly timeoutMs: number;
  readonly cancelLate: boolean;
  readonly resolve: (result: Json) => void;
  readonly reject: (error: OvsdbError) => void;
  readonly timer: NodeJS.Timeout;
}

/** One JSON-RPC 1.0 connection as RFC 7047 section 4 uses it. Once it has ended, it stays ended. */
export class Session {
  /** Resolves with the reason when the session ends, whoever ended it; never rejects. */
  readonly ended: Promise<OvsdbError>;
  readonly #socket: Socket;
  readonly #options: SessionOptions;
  readonly #pending = new Map<number, PendingCall>();
  readonly #stream: MessageStream;
  #nextId = 0;
  #end: OvsdbError | undefined;
  #announceEnd: (reason: OvsdbError) => void = () => {};
  #probe: NodeJS.Timeout | undefined;
  #probeSent = false;

  constructor(socket: Socket, options: SessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#stream = createMessageStream((message) => this.#receive(message), {
      maxMessageBytes: options.maxMessageBytes,
    });
    this.ended = new Promise((resolve) => {
      this.#announceEnd = resolve;
    });
    let socketError: Error | undefined;
    socket.on('data', (chunk) => this.#feed(chunk));
    socket.on('error', (error) => {
      socketError = error;
    });
    socket.on('close', () => this.#finish(this.#lost(this.#lossReason(socketError), socketError)));
    if (options.inactivityProbeMs > 0) {
      this.#probe = setInterval(() => this.#probeSilence(), options.inactivityProbeMs);
      this.#probe.unref();
    }
  }

  /** Why the session ended, or undefined while it is up. */
  get endReason(): OvsdbError | undefined {
    return this.#end;
  }

  /** One request. Rejects with `operation` when refused, `timeout`, or the kind of the end of the session. */
  async call(method: string, params: readonly Json[], options: SessionCallOptions): Promise<Json> {
    checkTimeout(options.timeoutMs);
    if (this.#end !== undefined) throw endedBefore(method, this.#end);
    const id = this.#nextId++;
    const text = formatJson({ id, method, params });
    return new Promise<Json>((resolve, reject) => {
      const timer = setTimeout(() => this.#expire(id), options.timeoutMs);
      const { timeoutMs, cancelLate = false } = options;
      this.#pending.set(id, { method, timeoutMs, cancelLate, resolve, reject, timer });
      this.#write(text);
    });
  }

  /** Ends the session; calls that wait are rejected with `closed`. */
  close(): void {
    const { remote } = this.#options;
    this.#finish(new OvsdbError('closed', `connection to ${remote} closed by this side`, { remote }));
  }

  #write(text: string): void {
    this.#socket.write(text);
  }

  #feed(chunk: Uint8Array): void {
    if (this.#end !== undefined) return;
    this.#probeSent = false;
    this.#probe?.refresh();
    try {
      this.#stream.push(chunk);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const { remote } = this.#options;
      this.#finish(new OvsdbError('protocol', `${remote} does not speak OVSDB: ${text}`, { remote }, error));
    }
  }

  #receive(message: JsonObject): void {
    const { id, method } = message;
    if (typeof method === 'string') {
      const params = isJsonArray(message.params) ? message.params : [];
      if (id === null || id === undefined) this.#options.onNotification(method, params);
      else this.#answer(method, id, params);
    } else if (typeof id === 'number') {
      this.#settle(id, message);
    } else if (id !== echoId) {
      throw new OvsdbError('protocol', 'a message that is neither request, reply nor notification');
    }
  }

  // RFC 7047 section 4.1.11: echo is the only request a server sends.
  #answer(method: string, id: Json, params: readonly Json[]): void {
    const answer = method === 'echo' ? { result: params, error: null } : { result: null, error: 'unknown method' };
    this.#write(formatJson({ id, ...answer }));
  }

  #settle(id: number, message: JsonObject): void {
    const call = this.#take(id);
    if (call === undefined) return; // answered after its deadline
    const error = message.error ?? null;
    if (error === null) call.resolve(message.result ?? null);
    else call.reject(refusedCall(call.method, error));
  }

  #expire(id: number): void {
    const call = this.#take(id);
    if (call === undefined) return;
    if (call.cancelLate) this.#write(formatJson({ id: null, method: 'cancel', params: [id] }));
    call.reject(tooLate(call));
  }

  #take(id: number): PendingCall | undefined {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(call?.timer);
    return call;
  }

  #probeSilence(): void {
    const { inactivityProbeMs } = this.#options;
    if (this.#probeSent) this.#finish(this.#lost(`no answer to echo within ${inactivityProbeMs} ms`));
    else this.#write(formatJson({ id: echoId, method: 'echo', params: [] }));
    this.#probeSent = true;
  }

  #lossReason(socketError: Error | undefined): string {
    if (socketError !== undefined) return socketError.message;
    return this.#stream.pendingBytes() > 0 ? 'closed by the server in the middle of a message' : 'closed by the server';
  }

  #lost(reason: string, cause?: Error): OvsdbError {
    const { remote } = this.#options;
    return new OvsdbError('lost', `connection to ${remote} lost: ${reason}`, { remote }, cause);
  }

  #finish(reason: OvsdbError): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    clearInterval(this.#probe);
    // Only an orderly close lets written requests drain; unref, so that a peer that never reads cannot keep us alive.
    if (reason.kind === 'closed') this.#socket.unref().destroySoon();
    else this.#socket.destroy();
    for (const id of [...this.#pending.keys()]) {
      const call = this.#take(id);
      call?.reject(endedDuring(call.method, reason));
    }
    this.#announceEnd(reason);
  }
}

const echoId = 'inactivity-probe';

function endedBefore(method: string, reason: OvsdbError): OvsdbError {
  return because(reason.kind, `${method} not sent: ${reason.message}`, method, false, reason);
}

function endedDuring(method: string, reason: OvsdbError): OvsdbError {
  return because(reason.kind, `${method} not answered: ${reason.message}`, method, true, reason);
}

function because(kind: OvsdbErrorKind, message: string, method: string, sent: boolean, cause: OvsdbError): OvsdbError {
  const mayHaveApplied = method === 'transact' ? { mayHaveApplied: sent } : {};
  return new OvsdbError(kind, message, { ...cause.details, method, ...mayHaveApplied }, cause);
}

// ovsdb-server 3.1 drops a cancelled transaction without a word (the RFC wants error "canceled"), and a clustered one may
// have handed it to its peers before: after a cancel nobody can say that it was not applied.
function tooLate({ method, timeoutMs }: PendingCall): OvsdbError {
  const message = `${method} not answered within ${timeoutMs} ms`;
  if (method !== 'transact') return new OvsdbError('timeout', message, { method, timeoutMs });
  return new OvsdbError('timeout', `${message}; it may have been applied`, { method, timeoutMs, mayHaveApplied: true });
}
