import { monotonicMs } from '../../../deadline.ts';

/** A piece of work that is done whenever there is something to do, one turn after the other. */
export interface Turns {
  /** There is something to do. */
  start(): void;
  /** Begins none any more; settles when the one that is under way has ended. */
  close(): Promise<void>;
}

/** `turn` does all that is due; `dueMs` is when there is more to do, by the clock of deadline.ts, null: when `start` is called. */
export function createTurns(turn: () => Promise<void>, dueMs: () => number | null): Turns {
  let current: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  function start(): void {
    if (current !== null || isClosed) return;
    clearTimeout(timer);
    current = turn().finally(() => {
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
