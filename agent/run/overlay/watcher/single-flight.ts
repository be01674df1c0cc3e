import { monotonicMs } from '../../../deadline.ts';

/** Single flight of a piece of work: one turn after the other, whenever there is work. */
export interface SingleFlight {
  /** Starts a turn unless one is in progress. */
  start(): void;
  /** Cancels further turns. Settles when the turn in progress has ended. */
  close(): Promise<void>;
}

/**
 * Creates a single flight. `job` does all work that is due. `dueMs` returns the time of the next turn, by the clock of
 * deadline.ts; null if only `start` begins the next one.
 */
export function createSingleFlight(job: () => Promise<void>, dueMs: () => number | null): SingleFlight {
  let current: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  function start(): void {
    if (current !== null || isClosed) return;
    clearTimeout(timer);
    current = job().finally(() => {
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
