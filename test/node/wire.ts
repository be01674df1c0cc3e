// The test's end of the command channel.
import fs from 'node:fs';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import type { Reply, Request } from './protocol.ts';
import { timeout } from './slot.ts';

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
  onText: ((stream: 'stdout' | 'stderr', text: string) => void) | undefined;
}

// The serial line to the node accepts only as much at once as fits its tty buffer; more can block it permanently. The
// line from the node has no such limit.
const lineLimitBytes = 4000;

/** Channel of one boot: ready when the node has sent its greeting, and closed when the node has ended. */
export class Wire {
  readonly hello: Promise<void>;
  #socket: Duplex;
  #inbox: string;
  #pending = new Map<number, Pending>();
  #nextId = 1;
  #buffer = '';

  /**
   * Opens the channel over a socket; `inbox` is the path on this machine of the folder that the node knows as
   * /testnode/inbox.
   */
  constructor(socket: Duplex, inbox: string) {
    this.#socket = socket;
    this.#inbox = inbox;
    fs.mkdirSync(inbox, { recursive: true });
    this.hello = new Promise((resolve, reject) => {
      this.#pending.set(0, { resolve: () => resolve(), reject, onText: undefined });
    });
    this.hello.catch(() => {}); // The caller that waits for the promise handles its error.
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => this.#take(text));
    socket.on('error', () => {}); // The error is ignored, because fail() reports the end of the node.
  }

  /** Sends a request; its id names the running command in later requests. */
  ask<T>(
    request: Request,
    limitMs: number,
    what: string,
    onText?: Pending['onText'],
  ): { id: number; value: Promise<T> } {
    const id = this.#nextId++;
    const answered = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onText });
    });
    this.#send(id, JSON.stringify({ id, ...request }));
    const value = Promise.race([answered, timeout(limitMs, what)]) as Promise<T>;
    value.catch(() => {}); // Open requests fail when the node is cut off.
    return { id, value };
  }

  /** Rejects every request that still waits. */
  fail(error: Error): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }

  #send(id: number, line: string): void {
    if (Buffer.byteLength(line) <= lineLimitBytes) {
      this.#socket.write(`${line}\n`);
      return;
    }
    // The name was never used before, because the node may remember that a file did not exist.
    const name = `${process.hrtime.bigint()}-${id}`;
    fs.writeFileSync(path.join(this.#inbox, name), line);
    this.#socket.write(`${JSON.stringify({ id, inbox: name })}\n`);
  }

  #take(text: string): void {
    this.#buffer += text;
    const lines = this.#buffer.split('\n');
    this.#buffer = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('{')) this.#dispatch(JSON.parse(line) as Reply);
  }

  #dispatch(reply: Reply): void {
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) return;
    if (reply.stream !== undefined) {
      pending.onText?.(reply.stream, reply.text ?? '');
      return;
    }
    this.#pending.delete(reply.id);
    if (reply.error === undefined) pending.resolve(reply.value);
    else pending.reject(new Error(`test node: ${reply.error}`));
  }
}
