import { existsSync, readdirSync } from 'node:fs';
import { connect } from '../ovsdb/index.ts';
import { fromOvn } from './errors.ts';

/** ovn-controller answers its control socket in milliseconds unless its main loop is stuck; 5 s allows for a loaded machine. */
const answerMs = 5_000;
const controlSocket = /^ovn-controller\.\d+\.ctl$/;

/** Whether ovn-controller(8) runs and is connected with the southbound database (its control command `connection-status`). */
export type ControllerState = 'absent' | 'connected' | 'not connected';

/** Asks ovn-controller itself; a control socket that nobody answers is that of one that has died. */
export async function controllerState(runDirectories: readonly string[]): Promise<ControllerState> {
  const sockets = runDirectories
    .filter((directory) => existsSync(directory))
    .flatMap((directory) =>
      readdirSync(directory)
        .filter((name) => controlSocket.test(name))
        .map((name) => `${directory}/${name}`),
    );
  for (const socket of sockets) {
    const client = await connect(socket, answerMs).catch(() => null);
    if (client === null) continue;
    try {
      return String(await client.call('connection-status', [])).trim() === 'connected' ? 'connected' : 'not connected';
    } catch (error) {
      throw fromOvn('ask ovn-controller', `unix:${socket}`, error);
    } finally {
      client.close();
    }
  }
  return 'absent';
}
