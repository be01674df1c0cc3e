import { monotonicMs } from '../../../deadline.ts';
import { firstPace, type Outcome, paceAfter, pauseMs, retryAfterMs } from './pace.ts';

/** Scope of the work: everything including the start of central daemons, everything, or only the differences. */
export type Scope = 'boot' | 'all' | 'look';

const rank: Readonly<Record<Scope, number>> = { look: 0, all: 1, boot: 2 };

export interface Work {
  /** Requests the work. Requests during a run lead to one more run. */
  ask(scope: Scope): void;
  /** Cancels further runs. Settles when the current run has ended. */
  close(): Promise<void>;
}

/**
 * Creates a work queue that runs `run` once at a time, whenever it is requested; `run` returns what it did. After a
 * failure it runs again after a growing pause, and at the next request. After many corrections in a row the pauses grow.
 */
export function createWork(run: (scope: Scope) => Promise<Outcome>): Work {
  let wanted: Scope | null = null;
  let failures = 0;
  let pace = firstPace;
  let timer: { readonly handle: NodeJS.Timeout; readonly isRetry: boolean } | null = null;
  let current: Promise<void> | null = null;
  let isClosed = false;
  const schedule = (afterMs: number, isRetry: boolean): void => {
    if (timer !== null) clearTimeout(timer.handle);
    if (!isClosed) timer = { handle: setTimeout(start, afterMs), isRetry };
  };
  const want = (scope: Scope): void => {
    if (wanted === null || rank[scope] > rank[wanted]) wanted = scope;
  };
  function start(): void {
    timer = null;
    if (wanted === null) return;
    const scope = wanted;
    wanted = null;
    const beganMs = monotonicMs();
    const done = (outcome: Outcome): void => {
      failures = 0;
      pace = paceAfter(pace, outcome, beganMs, monotonicMs());
    };
    const failed = (): void => {
      failures += 1;
      want(scope);
    };
    current = run(scope)
      .then(done, failed)
      .then(() => {
        current = null;
        if (wanted !== null)
          schedule(failures === 0 ? pauseMs(pace, monotonicMs()) : retryAfterMs(failures), failures > 0);
      });
  }
  return {
    ask: (scope) => {
      want(scope);
      if (current === null && timer?.isRetry !== false) schedule(pauseMs(pace, monotonicMs()), false);
    },
    close: async () => {
      isClosed = true;
      if (timer !== null) clearTimeout(timer.handle);
      await current;
    },
  };
}
