import { monotonicMs } from '../../../deadline.ts';

/** Function that runs after events, once for several of them. */
export interface EventBatch {
  ask(): void;
  /** Cancels the pending call. */
  close(): void;
}

/** Delay that gathers events. One command of an admin causes several events. */
const gatherMs = 100;
/**
 * Ratio of the pause to the duration of a check of the node. A pod causes a dozen link events; all checks together may
 * take at most a tenth of the time, regardless of the duration of a single one.
 */
const restPerLook = 9;

/** Creates a function that calls `look` a tenth of a second after the first event, and again for later events. */
export function createEventBatch(look: () => void): EventBatch {
  let timer: NodeJS.Timeout | undefined;
  let restMs = gatherMs;
  const run = (): void => {
    timer = undefined;
    const beganMs = monotonicMs();
    look();
    restMs = Math.max(gatherMs, restPerLook * (monotonicMs() - beganMs));
  };
  return {
    ask: () => {
      timer ??= setTimeout(run, restMs);
    },
    close: () => clearTimeout(timer),
  };
}
