import type { Reporter } from './options.ts';
import { goneService } from './rollback/gone-service.ts';

export interface PlannedWork<Connections, Result> {
  /** Opens connections to the services of the node that the work needs, such as NetworkManager and Open vSwitch. */
  readonly open: () => Promise<Connections>;
  /** Opens new connections after a service stopped. Waits until the service runs again, and fails at a time limit. */
  readonly reopen: () => Promise<Connections>;
  /**
   * Makes a plan, calls the function `planned` to report that the plan is made, and then changes the node. Closes the
   * connections at the end.
   */
  readonly work: (connections: Connections, planned: () => void) => Promise<Result>;
}

/**
 * Calls `work`. If a service stops before the plan is made, calls `work` again with new connections. The node has not
 * changed by then, and facts from a service that stops do not describe the node. Throws every other failure.
 */
export async function repeatUntilPlanned<Connections, Result>(
  { open, reopen, work }: PlannedWork<Connections, Result>,
  say: Reporter['say'],
): Promise<Result> {
  let connections = await open();
  for (;;) {
    let isPlanned = false;
    try {
      return await work(connections, () => {
        isPlanned = true;
      });
    } catch (error) {
      if (isPlanned) throw error;
      say(`${goneService(error).message}; the node is observed again when it runs again`);
    }
    connections = await reopen();
  }
}
