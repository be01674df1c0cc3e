import { createConnection, type Socket } from 'node:net';
import { checkTimeout } from './deferred.ts';
import { OvsdbError } from './errors.ts';

/**
 * Opens a socket to `unix:/path` or `tcp:host:port` (IPv6 hosts in brackets), as Open vSwitch spells remotes. Rejects with
 * OvsdbError `unreachable`, also when the deadline passes, and with TypeError on another spelling.
 */
export async function dial(remote: string, connectTimeoutMs: number): Promise<Socket> {
  const target = parseRemote(remote);
  checkTimeout(connectTimeoutMs);
  return new Promise((resolve, reject) => {
    const socket = createConnection(target);
    const timer = setTimeout(() => fail(connectTimeout(remote, connectTimeoutMs)), connectTimeoutMs);
    const onError = (error: NodeJS.ErrnoException): void => fail(unreachable(remote, error));
    const settle = (): void => {
      clearTimeout(timer);
      socket.off('error', onError);
    };
    function fail(error: OvsdbError): void {
      settle();
      socket.on('error', () => {}); // a late error of an abandoned socket is nobody's
      socket.destroy();
      reject(error);
    }
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
function parseRemote(remote: string): Target {
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
