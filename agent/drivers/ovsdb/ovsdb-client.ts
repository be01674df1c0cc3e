import { dial } from './dial.ts';
import { followLeader, type SeenIndex } from './leader.ts';
import { type OvsdbClient, openConnection } from './ovsdb-connection.ts';
import { OvsdbError } from './ovsdb-errors.ts';
import { parseRemotes, type Remote, remoteText } from './remotes.ts';
import type { Credentials } from './tls.ts';
import { explainTlsFailure } from './tls-failure.ts';

/** Options of a connection besides its address and time limit. */
export interface ConnectOptions {
  /** Credentials for `ssl:`. */
  readonly credentials?: Credentials | undefined;
  /**
   * Connects only to the server that leads the cluster of this database, and ends the connection when that server loses
   * the leadership.
   */
  readonly leaderOf?: string | undefined;
  /**
   * Highest known log index of the cluster. A leader with a lower index, whose contents are older, is rejected; a
   * higher index is recorded in this object.
   */
  readonly seen?: SeenIndex | undefined;
  /** Signal that ends the connection attempt. The signal has no effect once there is a connection. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Time without data after which a server that is not reached by a unix socket is probed: 5 s, as in Open vSwitch's own
 * clients (ovs-vswitchd.conf.db(5), inactivity_probe).
 */
const probeMs = 5_000;

/**
 * Connects to a database server, or to the first of several that answers. A remote is `unix:`, `tcp:` or `ssl:` of
 * ovsdb(7), or the path of a unix socket. `limitMs` applies to the connection attempt and to each call. Rejects with an
 * OvsdbError that names the reason.
 */
export async function connect(
  remotes: string | readonly string[],
  limitMs: number,
  options: ConnectOptions = {},
): Promise<OvsdbClient> {
  const { servers, clusterId } = parseRemotes(remotes);
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new Error(`no answer within ${limitMs} ms`)), limitMs);
  const giveUp = (): void => stop.abort(new Error('given up by this side'));
  options.signal?.addEventListener('abort', giveUp);
  if (options.signal?.aborted) giveUp();
  const open: OvsdbClient[] = [];
  let chosen: OvsdbClient | undefined;

  const attempt = async (server: Remote): Promise<OvsdbClient> => {
    const remote = remoteText(server);
    const socket = await dial(server, stop.signal, options.credentials);
    const client = openConnection(socket, { remote, limitMs, probeMs: server.kind === 'unix' ? undefined : probeMs });
    open.push(client);
    if (stop.signal.aborted) client.close();
    if (server.kind === 'ssl') await proveAccepted(client);
    const wanted = { name: options.leaderOf ?? '', clusterId, seen: options.seen };
    if (options.leaderOf !== undefined) await followLeader(client, wanted, stop.signal);
    return client;
  };

  try {
    chosen = await Promise.any(servers.map(attempt));
    return chosen;
  } catch (error) {
    throw servers.length === 1 ? (error as AggregateError).errors[0] : noServer(error as AggregateError);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', giveUp);
    stop.abort(new Error('another server was chosen'));
    for (const client of open) if (client !== chosen) client.close();
  }
}

/**
 * Waits for a first answer, which proves that the server has accepted the client's certificate. In TLS 1.3, the
 * client's handshake ends before the server checks that certificate.
 */
async function proveAccepted(client: OvsdbClient): Promise<void> {
  try {
    await client.call('echo', []);
  } catch (error) {
    const lost = error as OvsdbError;
    const cause = (lost.cause as OvsdbError | undefined)?.cause ?? Object.assign(new Error(), { code: 'ECONNRESET' });
    const explained = explainTlsFailure(cause as Error, 'first answer');
    client.close();
    if (lost.kind !== 'lost' || explained === undefined) throw error;
    throw new OvsdbError(explained[0], `cannot connect to ${client.remote}: ${explained[1]}`, error);
  }
}

/** Combines the errors of several servers. The kind is that of the first error other than `unreachable`. */
function noServer({ errors }: AggregateError): OvsdbError {
  const reasons = errors as readonly OvsdbError[];
  const kind = (reasons.find((error) => error.kind !== 'unreachable') ?? reasons[0])?.kind ?? 'unreachable';
  return new OvsdbError(kind, `no server can be used: ${reasons.map((error) => error.message).join('; ')}`, errors);
}
