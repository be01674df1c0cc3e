import { createConnection, type Socket } from 'node:net';
import { checkTimeout } from './deferred.ts';
import { OvsdbError } from './errors.ts';

export interface DialOptions {
  /** Limit for the connection to be made. */
  readonly connectTimeoutMs: number;
  /** Ends the attempt with OvsdbError `closed`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a socket to `unix:/path` or `tcp:host:port` (IPv6 hosts in brackets), as Open vSwitch spells remotes. Rejects with
 * OvsdbError `unreachable`, also when the deadline passes, and with TypeError on another spelling.
 */
export async function dial(remote: string, options: DialOptions): Promise<Socket> {
  const target = parseRemote(remote);
  checkTimeout(options.connectTimeoutMs);
  return new Promise((resolve, reject) => {
    if (options.signal?.aborted === true) {
      reject(closedWhileConnecting(remote));
      return;
    }
    const socket = createConnection(target);
    const timer = setTimeout(() => fail(connectTimeout(remote, options.connectTimeoutMs)), options.connectTimeoutMs);
    const onAbort = (): void => fail(closedWhileConnecting(remote));
    const onError = (error: NodeJS.ErrnoException): void => fail(unreachable(remote, error));
    const settle = (): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      socket.off('error', onError);
    };
    function fail(error: OvsdbError): void {
      settle();
      socket.on('error', () => {}); // a late error of an abandoned socket is nobody's
      socket.destroy();
      reject(error);
    }
    options.signal?.addEventListener('abort', onAbort);
    socket.on('error', onError);
    socket.once('connect', () => {
      settle();
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

type Target = { readonly path: string } | { readonly host: string; readonly port: number };

/** Throws TypeError on a spelling that dial() does not take. */
export function parseRemote(remote: string): Target {
  if (remote.startsWith('unix:/')) return { path: remote.slice('unix:'.length) };
  const tcp = /^tcp:(?:\[([0-9a-fA-F:.%\w]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(remote);
  const host = tcp?.[1] ?? tcp?.[2];
  const port = Number(tcp?.[3]);
  if (host === undefined || port < 1 || port > 65535) {
    throw new TypeError(`remote "${remote}" is neither unix:/path nor tcp:host:port`);
  }
  return { host, port };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the socket does not exist, ovsdb-server is not running',
  ECONNREFUSED: 'nobody listens there, ovsdb-server is not running',
  EACCES: 'permission denied',
  EAGAIN: 'the server does not accept connections',
};

function unreachable(remote: string, error: NodeJS.ErrnoException): OvsdbError {
  const code = error.code ?? 'unknown';
  return new OvsdbError(
    'unreachable',
    `cannot connect to ${remote}: ${reasons[code] ?? error.message}`,
    { remote, code },
    error,
  );
}

function connectTimeout(remote: string, timeoutMs: number): OvsdbError {
  return new OvsdbError('unreachable', `cannot connect to ${remote}: no answer within ${timeoutMs} ms`, {
    remote,
    timeoutMs,
  });
}

function closedWhileConnecting(remote: string): OvsdbError {
  return new OvsdbError('closed', `connecting to ${remote} was given up by the caller`, { remote });
}
