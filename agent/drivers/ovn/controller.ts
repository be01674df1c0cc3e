import { askDaemon } from './control.ts';

/**
 * State of ovn-controller(8): `absent` if it is not running, otherwise whether it is connected to the southbound
 * database (control command `connection-status`).
 */
export type ControllerState = 'absent' | 'connected' | 'not connected';

/** Returns the state of ovn-controller, which it reports over its control socket. */
export async function controllerState(runDirectories: readonly string[]): Promise<ControllerState> {
  const answer = await askDaemon('ovn-controller', runDirectories, 'connection-status');
  if (answer === null) return 'absent';
  return answer.trim() === 'connected' ? 'connected' : 'not connected';
}

/**
 * Stops ovn-controller, which removes its chassis, its tunnels and its flows before it answers (ovn-controller(8),
 * `exit`). ovn-controller cannot do so while the southbound database is unreachable; the function then returns at its
 * time limit without an error. Does nothing if ovn-controller is not running.
 */
export async function stopController(runDirectories: readonly string[]): Promise<void> {
  await askDaemon('ovn-controller', runDirectories, 'exit').catch(() => undefined);
}
