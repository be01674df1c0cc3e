import { monotonicMs } from '../../../deadline.ts';

/** Batch of events that one call handles. */
export interface EventBatch {
  ask(): void;
  /** Cancels the call for the events that have arrived. */
  close(): void;
}

/**
 * Shortest time from the first event of a batch to the call that handles the batch. Further events arrive in this time,
 * because one command of an administrator causes several events.
 */
const gatherMs = 100;
/**
 * Ratio of the pause after a call to the duration of the call. A pod causes a dozen link events; with this ratio, all
 * calls together take at most a tenth of the time, however long one call takes.
 */
const restPerLook = 9;

/**
 * Creates a batch. The first event starts a pause of 100 ms, after which `look` is called once for all events of the
 * pause. After a long call of `look`, the next pause is longer.
 */
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
