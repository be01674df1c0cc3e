import { once } from 'node:events';
import { timeLimit } from './time-limit.ts';

/** Pauses between attempts. `wake` ends all of them at once. */
export interface Pauses {
  /** Returns a series of pauses, which become longer up to a limit. */
  series(stop: AbortSignal): Series;
  /** Ends all current pauses. */
  wake(): void;
}

export interface Series {
  /**
   * Waits until the next pause is over, and until the delay that the server requests is over. Ends early if `wake` is
   * called or `stop` is aborted.
   */
  wait(askedMs: number | null): Promise<void>;
  /** Makes the next pause short again, after a success. */
  reset(): void;
}

export interface PauseLimits {
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** Longest delay that is accepted from a server; a longer one is shortened to this limit. */
const longestAskedMs = 5 * 60_000;

export function createPauses({ firstPauseMs, longestPauseMs }: PauseLimits): Pauses {
  let alarm = new AbortController();
  return {
    series: (stop) => {
      let nextMs = firstPauseMs;
      return {
        wait: async (askedMs) => {
          // A part of the pause is random, so that clients that have lost the server at the same time do not connect
          // again at the same moment.
          const ownMs = nextMs * (0.5 + Math.random() / 2);
          nextMs = Math.min(longestPauseMs, nextMs * 2);
          const pause = timeLimit(Math.max(ownMs, Math.min(askedMs ?? 0, longestAskedMs)), stop, alarm.signal);
          if (!pause.signal.aborted) await once(pause.signal, 'abort');
          pause.end();
        },
        reset: () => {
          nextMs = firstPauseMs;
        },
      };
    },
    wake: () => {
      alarm.abort();
      alarm = new AbortController();
    },
  };
}
