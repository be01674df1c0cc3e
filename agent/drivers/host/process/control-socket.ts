import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { AgentError, messageOf } from '../../../errors.ts';

/**
 * Size limit of a request from ovs-appctl(8), in bytes. An argument of a program has at most 128 KiB (execve(2)), and a
 * request has few arguments.
 */
const longestRequestBytes = 1024 * 1024;
/**
 * Time limit for a request to arrive after the connection is made. The client sends it at once; 10 s allow for a
 * machine that swaps.
 */
const requestMs = 10_000;
/**
 * Largest number of simultaneous connections to the socket. A node has fewer concurrent requests, because a kubelet
 * runs at most 110 pods by default.
 */
const mostConnections = 512;

/**
 * Function that handles a command with its arguments. `gone` is aborted when the client disconnects. The result is sent
 * as the answer, and a rejection as an error.
 */
export type OnCommand = (command: string, words: readonly string[], gone: AbortSignal) => Promise<string>;

/**
 * Listens for ovs-appctl(8) as the daemons of Open vSwitch do: JSON-RPC 1.0 with the command as `method` and its
 * arguments as `params`, one request at a time on a connection. Only root can connect. Resolves with a function that
 * stops the server; fails with `state-unwritable`.
 */
export function listenForCommands(path: string, onCommand: OnCommand): Promise<() => void> {
  rmSync(path, { force: true });
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    converse(socket, onCommand);
  });
  server.maxConnections = mostConnections;
  return listen(server, path).then(() => () => {
    server.close();
    for (const socket of open) socket.destroy();
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', (error) =>
      reject(
        new AgentError('state-unwritable', `cannot listen at ${path}: ${messageOf(error)}`, {
          hint: 'look at what is in its place, and whether its folder can be written to',
          cause: error,
        }),
      ),
    );
    // listen() creates the socket at once. The umask gives it a mode that never lets other users connect.
    const before = process.umask(0o177);
    server.listen(path, () => resolve());
    process.umask(before);
  });
}

function converse(socket: Socket, onCommand: OnCommand): void {
  const gone = new AbortController();
  const late = setTimeout(() => socket.destroy(), requestMs);
  let text = '';
  let isBusy = false;
  const answer = (id: unknown, result: string | null, error: string | null): void => {
    if (!socket.destroyed) socket.write(JSON.stringify({ id, result, error }));
    isBusy = false;
  };
  socket.setEncoding('utf8');
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    clearTimeout(late);
    gone.abort();
  });
  socket.on('data', (chunk) => {
    text += chunk;
    if (isBusy || text.length > longestRequestBytes) return socket.destroy();
    const request = requestIn(text);
    if (request === null) return undefined;
    clearTimeout(late);
    text = '';
    isBusy = true;
    onCommand(request.method, request.params, gone.signal).then(
      (result) => answer(request.id, result, null),
      (error: unknown) => answer(request.id, null, messageOf(error)),
    );
    return undefined;
  });
}

interface Request {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly string[];
}

/** Parses a request; null if it is not complete. */
function requestIn(text: string): Request | null {
  // A text that does not end with a brace is not parsed, because it cannot be a complete object.
  if (!text.trimEnd().endsWith('}')) return null;
  try {
    const { id, method, params } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const words = Array.isArray(params) ? params.map(String) : [];
    return { id: id ?? null, method: String(method), params: words };
  } catch {
    return null;
  }
}
