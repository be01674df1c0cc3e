import { monotonicMs } from '../../../deadline.ts';
import { firstPace, type Outcome, paceAfter, pauseMs, retryAfterMs } from './pace.ts';

/**
 * Scope of a run. `look`: first compares the node with its record, and continues only if there is a difference. `all`:
 * continues in any case. `boot`: like `all`, but first starts the central daemons.
 */
export type Scope = 'boot' | 'all' | 'look';

const rank: Readonly<Record<Scope, number>> = { look: 0, all: 1, boot: 2 };

export interface Work {
  /** Requests a run. Requests during a run cause one further run. */
  ask(scope: Scope): void;
  /** Cancels further runs. Settles when the current run has ended. */
  close(): Promise<void>;
}

/**
 * Creates a single flight of `run`, which returns the outcome of one run. After a failure, runs again after a growing
 * pause, or earlier at the next request. After many successive corrections, the pause before the next run grows.
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
