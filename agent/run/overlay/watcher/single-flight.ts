import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicMs } from '../../../deadline.ts';

/** Single flight of a job: runs it whenever there is work, and never twice at the same time. */
export interface SingleFlight {
  /**
   * Starts a run of the job, unless one is in progress. The run begins after the events that have already arrived were
   * handled.
   */
  start(): void;
  /** Cancels further runs. Settles when the run in progress has ended. */
  close(): Promise<void>;
}

/**
 * Creates a single flight. `job` does all work that is due. `dueMs` returns the time on the monotonic clock
 * (deadline.ts) at which the next run begins by itself; null if the next run has to be requested.
 */
export function createSingleFlight(job: () => Promise<void>, dueMs: () => number | null): SingleFlight {
  let current: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  function start(): void {
    if (current !== null || isClosed) return;
    clearTimeout(timer);
    current = nextTurn()
      .then(() => (isClosed ? undefined : job()))
      .finally(() => {
        current = null;
        const due = isClosed ? null : dueMs();
        if (due !== null) timer = setTimeout(start, Math.max(0, due - monotonicMs()));
      });
  }
  return {
    start,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await current;
    },
  };
}
