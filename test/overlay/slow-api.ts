// Relay between a node and an API server, which can delay, hold back or break the connections.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Scope } from './children.ts';

export interface SlowWay {
  readonly port: number;
  /** Number of connections so far. */
  readonly opened: number;
  /** Sets the delay of the server's messages. */
  delay(ms: number): void;
  /** Holds all messages of the server until the returned function is called, and then sends them at once. */
  stall(): () => void;
  /** Breaks every connection. */
  cut(): void;
}

/** Starts a relay to a port of this machine. It ends with the test. */
export async function slowWay(t: Scope, port: number): Promise<SlowWay> {
  const open = new Set<Socket>();
  let opened = 0;
  let delayMs = 0;
  let stalled = Promise.resolve();
  const server = createServer((inner) => {
    opened += 1;
    const outer = connect(port, '127.0.0.1');
    let order = Promise.resolve();
    for (const one of [inner, outer]) {
      open.add(one);
      one.on('error', () => undefined).on('close', () => open.delete(one));
    }
    inner.pipe(outer);
    inner.on('close', () => outer.destroy());
    outer.on('data', (chunk) => {
      const due = Promise.all([order, stalled, pause(delayMs, undefined, { ref: false })]);
      order = due.then(() => void inner.write(chunk));
    });
    outer.on('close', () => void order.then(() => inner.destroy()));
  });
  const cut = (): void => {
    for (const one of open) one.destroy();
  };
  t.teardown(() => {
    server.close();
    cut();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get opened() {
      return opened;
    },
    delay: (ms) => {
      delayMs = ms;
    },
    stall: () => {
      let release = (): void => undefined;
      stalled = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    cut,
  };
}
