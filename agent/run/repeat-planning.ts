import type { Reporter } from './options.ts';
import { goneService } from './rollback/gone-service.ts';

export interface PlannedWork<Connections, Result> {
  /** Opens connections to the services. */
  readonly open: () => Promise<Connections>;
  /** Opens connections again after a service stopped. Waits until it runs again, and fails at a limit. */
  readonly reopen: () => Promise<Connections>;
  /** Plans, calls `planned`, and changes the node. Closes the connections at its end. */
  readonly work: (connections: Connections, planned: () => void) => Promise<Result>;
}

/**
 * Runs work, and again if a service stops before the plan is made: nothing has changed by then, and what was observed of
 * a service that stops does not describe the node. Throws every other failure.
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
