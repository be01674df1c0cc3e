import { askDaemon } from './control.ts';

/** Whether ovn-controller(8) runs and is connected with the southbound database (its control command `connection-status`). */
export type ControllerState = 'absent' | 'connected' | 'not connected';

/** Asks ovn-controller itself. */
export async function controllerState(runDirectories: readonly string[]): Promise<ControllerState> {
  const answer = await askDaemon('ovn-controller', runDirectories, 'connection-status');
  if (answer === null) return 'absent';
  return answer.trim() === 'connected' ? 'connected' : 'not connected';
}

/**
 * Ends ovn-controller, which takes its chassis, its tunnels and its flows out before it answers (ovn-controller(8), `exit`). One that cannot, because
 * the southbound database is away, is not waited for. Nothing to do where none runs.
 */
export async function stopController(runDirectories: readonly string[]): Promise<void> {
  await askDaemon('ovn-controller', runDirectories, 'exit').catch(() => undefined);
}
