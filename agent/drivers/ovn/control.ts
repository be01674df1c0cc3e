import { existsSync, readdirSync } from 'node:fs';
import { connect } from '../ovsdb/index.ts';
import { fromOvn } from './errors.ts';

/** A daemon answers its control socket in milliseconds unless its main loop is stuck; 15 s allow for a loaded machine. */
const answerMs = 15_000;

/**
 * What a daemon answers to a control command (ovs-appctl(8), which speaks JSON-RPC as OVSDB does); null: none runs. A control socket that nobody answers is that of
 * one that has died.
 */
export async function askDaemon(
  daemon: 'ovn-controller' | 'ovs-vswitchd',
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
    const client = await connect(socket, answerMs).catch(() => null);
    if (client === null) continue;
    try {
      return String(await client.call(command, [...words]));
    } catch (error) {
      throw fromOvn(`ask ${daemon}`, `unix:${socket}`, error);
    } finally {
      client.close();
    }
  }
  return null;
}
