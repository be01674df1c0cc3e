// A server on a private socket whose answers the fuzz target chooses.
import { createServer, type Server, type Socket } from 'node:net';
import type { Random } from './target.ts';

export interface PrivateSocket {
  readonly path: string;
  /** Function that serves each new connection. */
  serve: (socket: Socket) => void;
  readonly close: () => Promise<void>;
}

export async function listenOn(path: string): Promise<PrivateSocket> {
  const own: PrivateSocket = { path, serve: (socket) => socket.end(), close };
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    own.serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return own;

  function close(): Promise<void> {
    return new Promise((resolve) => server.close(() => resolve()));
  }
}

/** Divides the bytes into at most 200 pieces of random size; the limit of the sizes is random as well. */
export function* cutAnyhow(bytes: Buffer, random: Random): Generator<Buffer> {
  const most = [bytes.length + 1, 4096, 64, 7][random(4)] ?? 1;
  const least = Math.ceil(bytes.length / 200);
  for (let at = 0; at < bytes.length; ) {
    const size = least + random(most);
    yield bytes.subarray(at, at + size);
    at += Math.max(1, size);
  }
}
