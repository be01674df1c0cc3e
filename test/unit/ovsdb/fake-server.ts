import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../../agent/drivers/ovsdb/json.ts';
import { createMessageStream } from '../../../agent/drivers/ovsdb/stream.ts';

/** One client of the fake server. */
export interface FakePeer {
  readonly socket: Socket;
  send(message: Json): void;
  reply(request: JsonObject, result: Json, error?: Json): void;
}

/** Function that the server calls for each message of a client. */
export type Script = (message: JsonObject, peer: FakePeer) => void;

export interface FakeServer {
  readonly path: string;
  /** Messages of all clients so far. */
  readonly received: JsonObject[];
  script: Script;
  onConnect: (peer: FakePeer) => void;
  connections: number;
  stop(): Promise<void>;
}

/** Starts a scripted server on a private socket, for faults that a real ovsdb-server does not produce on request. */
export async function startFakeServer(script: Script = () => {}): Promise<FakeServer> {
  const folder = await mkdtemp(join(tmpdir(), 'ovsdb-fake-'));
  const path = join(folder, 'db.sock');
  const sockets = new Set<Socket>();
  const fake: FakeServer = {
    path,
    received: [],
    script,
    onConnect: () => {},
    connections: 0,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    fake.connections++;
    const peer = peerOf(socket);
    const stream = createMessageStream((message) => {
      fake.received.push(message);
      fake.script(message, peer);
    });
    socket.on('data', (chunk) => stream.push(chunk));
    fake.onConnect(peer);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return fake;
}

function peerOf(socket: Socket): FakePeer {
  const send = (message: Json): void => {
    socket.write(JSON.stringify(message));
  };
  return {
    socket,
    send,
    reply: (request, result, error = null) => send({ id: request.id ?? null, result, error }),
  };
}
