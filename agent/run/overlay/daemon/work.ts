import { monotonicMs } from '../../../deadline.ts';

/** What is to be done: everything as at a boot; everything; or only what differs. */
export type Scope = 'boot' | 'all' | 'look';

const rank: Readonly<Record<Scope, number>> = { look: 0, all: 1, boot: 2 };

/** One command of an admin is several events: what comes within a tenth of a second is one. */
const gatherMs = 100;
/** A failure is tried again soon, as most pass by themselves, and never less often than once a minute: its reason may be gone without an event. */
const longestPauseMs = 60_000;

/** How long after so many failures in a row it is tried again: 1 s, 2 s, 4 s … 60 s. */
export function retryAfterMs(failures: number): number {
  return Math.min(longestPauseMs, 1000 * 2 ** Math.min(failures - 1, 10));
}

export interface Work {
  /** Asks for it to be done; what is asked for while it is being done leads to one more. */
  ask(scope: Scope): void;
  /** Does nothing any more. Settles when what was being done has ended. */
  close(): Promise<void>;
}

/** So many corrections in a row are made at once; more mean that somebody else writes the opposite, over and over. */
const promptCorrections = 5;
/** Within a minute of each other: what happens once in a while is no fight. */
const quietMs = 60_000;

/**
 * Does one thing at a time, whenever it is asked for; `run` says whether it had to change anything. What has failed is tried again, after a growing
 * wait and when it is asked for; who has to be corrected over and over is followed more and more slowly.
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
