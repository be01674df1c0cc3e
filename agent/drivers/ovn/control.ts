import { existsSync, readdirSync } from 'node:fs';
import { connect } from '../ovsdb/index.ts';
import { fromOvn } from './ovn-errors.ts';

/**
 * Time limit for an answer. A daemon answers on its control socket in milliseconds unless its main loop is stuck; 15 s
 * allow for a loaded machine.
 */
const answerMs = 15_000;

/**
 * Returns a daemon's answer to a control command (ovs-appctl(8), which uses JSON-RPC as OVSDB does); null if the daemon
 * is not running. A control socket that refuses connections belongs to a daemon that has crashed.
 */
export async function askDaemon(
  daemon: 'ovn-controller' | 'ovn-northd' | 'ovs-vswitchd',
  runDirectories: readonly string[],
  command: string,
  words: readonly string[] = [],
): Promise<string | null> {
  const controlSocket = new RegExp(`^${daemon}\\.\\d+\\.ctl$`);
  const sockets = runDirectories
    .filter((directory) => existsSync(directory))
    .flatMap((directory) => readdirSync(directory).map((name) => [directory, name] as const))
    .filter(([, name]) => controlSocket.test(name))
    .map(([directory, name]) => `${directory}/${name}`);
  for (const socket of sockets) {
    const answer = await askSocket(daemon, socket, command, words);
    if (answer !== null) return answer;
  }
  return null;
}

/**
 * Returns the remotes at which ovsdb-server serves the northbound or southbound database, as far as they come from its
 * command line or from `add-remote` (ovsdb-server(8), `ovsdb-server/list-remotes`). Remotes in the table Connection of
 * the database are left out. Null if no server listens at the control socket that ovn-ctl(8) names.
 */
export async function listRemotes(
  database: 'OVN_Northbound' | 'OVN_Southbound',
  runDirectories: readonly string[],
): Promise<readonly string[] | null> {
  const answer = await askServer(database, runDirectories, 'ovsdb-server/list-remotes');
  return answer === null ? null : answer.split('\n').filter((line) => line !== '');
}

/**
 * Ends every client connection to the ovsdb-server of the northbound or southbound database (ovsdb-server(8),
 * `ovsdb-server/reconnect`). Resolves with false if no server listens at the control socket that ovn-ctl(8) names.
 */
export async function reconnectClients(
  database: 'OVN_Northbound' | 'OVN_Southbound',
  runDirectories: readonly string[],
): Promise<boolean> {
  return (await askServer(database, runDirectories, 'ovsdb-server/reconnect')) !== null;
}

async function askServer(
  database: 'OVN_Northbound' | 'OVN_Southbound',
  runDirectories: readonly string[],
  command: string,
): Promise<string | null> {
  const name = `ovn${database === 'OVN_Northbound' ? 'nb' : 'sb'}_db.ctl`;
  for (const directory of runDirectories) {
    const answer = await askSocket(database, `${directory}/${name}`, command, []);
    if (answer !== null) return answer;
  }
  return null;
}

/** Sends a command to a control socket and returns the answer; null if no daemon listens there. */
async function askSocket(
  daemon: string,
  socket: string,
  command: string,
  words: readonly string[],
): Promise<string | null> {
  const client = await connect(socket, answerMs).catch(() => null);
  if (client === null) return null;
  try {
    return String(await client.call(command, [...words]));
  } catch (error) {
    throw fromOvn(`ask ${daemon}`, `unix:${socket}`, error);
  } finally {
    client.close();
  }
}
