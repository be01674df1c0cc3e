import { existsSync, readdirSync } from 'node:fs';
import { connect } from '../ovsdb/index.ts';
import { fromOvn } from './errors.ts';

/** ovn-controller answers its control socket in milliseconds unless its main loop is stuck; 15 s allow for a loaded machine. */
const answerMs = 15_000;
const controlSocket = /^ovn-controller\.\d+\.ctl$/;

/** Whether ovn-controller(8) runs and is connected with the southbound database (its control command `connection-status`). */
export type ControllerState = 'absent' | 'connected' | 'not connected';

/** Asks ovn-controller itself; a control socket that nobody answers is that of one that has died. */
export async function controllerState(runDirectories: readonly string[]): Promise<ControllerState> {
  const answer = await ask(runDirectories, 'connection-status');
  if (answer === null) return 'absent';
  return answer.trim() === 'connected' ? 'connected' : 'not connected';
}

/**
 * Ends ovn-controller, which takes its chassis, its tunnels and its flows out before it answers (ovn-controller(8), `exit`). One that cannot, because
 * the southbound database is away, is not waited for. Nothing to do where none runs.
 */
export async function stopController(runDirectories: readonly string[]): Promise<void> {
  await ask(runDirectories, 'exit').catch(() => undefined);
}

/** What ovn-controller answers to a command; null: none runs. */
async function ask(runDirectories: readonly string[], command: string): Promise<string | null> {
  const sockets = runDirectories
    .filter((directory) => existsSync(directory))
    .flatMap((directory) => readdirSync(directory).map((name) => [directory, name] as const))
    .filter(([, name]) => controlSocket.test(name))
    .map(([directory, name]) => `${directory}/${name}`);
  for (const socket of sockets) {
    const client = await connect(socket, answerMs).catch(() => null);
    if (client === null) continue;
    try {
      return String(await client.call(command, []));
    } catch (error) {
      throw fromOvn('ask ovn-controller', `unix:${socket}`, error);
    } finally {
      client.close();
    }
  }
  return null;
}
