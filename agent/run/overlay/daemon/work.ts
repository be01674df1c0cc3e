import { monotonicMs } from '../../../deadline.ts';

/** Scope of the work: everything including the start of central daemons, everything, or only the differences. */
export type Scope = 'boot' | 'all' | 'look';

const rank: Readonly<Record<Scope, number>> = { look: 0, all: 1, boot: 2 };

/** Delay that gathers events. One command of an admin causes several events. */
const gatherMs = 100;
/** Longest pause between two attempts. The cause of a failure may end without an event. */
const longestPauseMs = 60_000;

/** Returns the pause after a number of failures in a row: 1 s, 2 s, 4 s … 60 s. */
export function retryAfterMs(failures: number): number {
  return Math.min(longestPauseMs, 1000 * 2 ** Math.min(failures - 1, 10));
}

export interface Work {
  /** Requests the work. Requests during a run lead to one more run. */
  ask(scope: Scope): void;
  /** Cancels further runs. Settles when the current run has ended. */
  close(): Promise<void>;
}

/**
 * Number of corrections in a row that are made without a pause. More corrections mean that another program writes the
 * opposite repeatedly.
 */
const promptCorrections = 5;
/** Pause after which corrections do not count as in a row. */
const quietMs = 60_000;

/**
 * Creates a work queue that runs `run` once at a time, whenever it is requested; `run` returns true if it changed
 * something. After a failure it runs again after a growing pause, and at the next request. After many corrections in a
 * row the pauses grow.
 */
export function createWork(run: (scope: Scope) => Promise<boolean>): Work {
  let wanted: Scope | null = null;
  let failures = 0;
  let corrections = 0;
  let correctedAtMs = 0;
  let timer: { readonly handle: NodeJS.Timeout; readonly isRetry: boolean } | null = null;
  let current: Promise<void> | null = null;
  let isClosed = false;
  const schedule = (afterMs: number, isRetry: boolean): void => {
    if (timer !== null) clearTimeout(timer.handle);
    if (!isClosed) timer = { handle: setTimeout(start, afterMs), isRetry };
  };
  const pauseMs = (): number => {
    if (monotonicMs() - correctedAtMs > quietMs) corrections = 0;
    return corrections > promptCorrections ? retryAfterMs(corrections - promptCorrections) : gatherMs;
  };
  const want = (scope: Scope): void => {
    if (wanted === null || rank[scope] > rank[wanted]) wanted = scope;
  };
  function start(): void {
    timer = null;
    if (wanted === null) return;
    const scope = wanted;
    wanted = null;
    const done = (changed: boolean): void => {
      failures = 0;
      if (!changed) return;
      pauseMs();
      corrections += 1;
      correctedAtMs = monotonicMs();
    };
    const failed = (): void => {
      failures += 1;
      want(scope);
    };
    current = run(scope)
      .then(done, failed)
      .then(() => {
        current = null;
        if (wanted !== null) schedule(failures === 0 ? pauseMs() : retryAfterMs(failures), failures > 0);
      });
  }
  return {
    ask: (scope) => {
      want(scope);
      if (current === null && timer?.isRetry !== false) schedule(pauseMs(), false);
    },
    close: async () => {
      isClosed = true;
      if (timer !== null) clearTimeout(timer.handle);
      await current;
    },
  };
}
