import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { OvsdbError } from './ovsdb-errors.ts';
import { type Remote, remoteText } from './remotes.ts';
import { type Credentials, dialTls } from './tls.ts';
import { explainTlsFailure } from './tls-failure.ts';

/**
 * Connects a byte stream to the server. For `ssl:`, resolves after the TLS handshake. Rejects with an OvsdbError that
 * names the reason; after an abort of the signal, it names the reason of the abort, which has to be an Error.
 */
export async function dial(remote: Remote, signal: AbortSignal, credentials?: Credentials): Promise<Socket> {
  if (remote.kind === 'ssl') {
    return opened(await dialTls(remote, credentials), 'secureConnect', remote, signal);
  }
  const socket = createConnection(
    remote.kind === 'unix' ? { path: remote.path } : { host: remote.host, port: remote.port },
  );
  return opened(socket, 'connect', remote, signal);
}

async function opened(socket: Socket, event: string, remote: Remote, signal: AbortSignal): Promise<Socket> {
  // Nagle's algorithm is disabled before the handshake. Otherwise the client's first request would wait until the last
  // message of the handshake is acknowledged (40 ms).
  socket.setNoDelay(true);
  const stop = (): unknown => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop);
  try {
    if (signal.aborted) stop();
    await once(socket, event);
    return socket;
  } catch (cause) {
    throw explainDial(remote, cause as NodeJS.ErrnoException);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function explainDial(remote: Remote, cause: NodeJS.ErrnoException): OvsdbError {
  const { code = '', message } = cause;
  const [kind, why] = (remote.kind === 'ssl' ? explainTlsFailure(cause, 'handshake') : undefined) ?? [
    'unreachable',
    (remote.kind === 'unix' ? localReasons : remoteReasons)[code] ?? message,
  ];
  return new OvsdbError(kind, `cannot connect to ${remoteText(remote)}: ${why}`, cause);
}

const localReasons: Readonly<Record<string, string>> = {
  ENOENT: 'the socket does not exist, because ovsdb-server is not running',
  ECONNREFUSED: 'no server listens there, because ovsdb-server is not running',
  EACCES: 'permission denied',
  EAGAIN: 'the server does not accept connections',
};

const remoteReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens on that port, or a firewall refuses the connection',
  EHOSTUNREACH: 'no route to that host, or it is off',
  ENETUNREACH: 'no route to that network',
  ETIMEDOUT: 'no answer: the host is off, or a firewall drops the packets',
  ENOTFOUND: 'the host name is unknown',
};
