import { mock } from 'node:test';
import type { Test } from 'tap';

/** Resolves after a turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Stops the clock; the returned function advances it, and lets the event loop run. */
export function stopClock(t: Test): (ms: number) => Promise<void> {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  return async (ms) => {
    mock.timers.tick(ms);
    for (let turns = 0; turns < 4; turns += 1) await turn();
  };
}
