import { once } from 'node:events';
import { timeLimit } from './time-limit.ts';

/** Pauses between tries, all of which can be ended at once. */
export interface Pauses {
  /** Returns a series of pauses, each longer than the one before. */
  series(stop: AbortSignal): Series;
  /** Ends all current pauses. */
  wake(): void;
}

export interface Series {
  /** Waits, at least for the time that the server asks for; less if it is woken or stopped. */
  wait(askedMs: number | null): Promise<void>;
  /** Reports a success: the next pause is short again. */
  reset(): void;
}

export interface PauseLimits {
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** Longest accepted delay of a server. No server in good order asks for more. */
const longestAskedMs = 5 * 60_000;

export function createPauses({ firstPauseMs, longestPauseMs }: PauseLimits): Pauses {
  let alarm = new AbortController();
  return {
    series: (stop) => {
      let nextMs = firstPauseMs;
      return {
        wait: async (askedMs) => {
          // Half of the pause is random; otherwise, all clients that lost the server would return at the same moment.
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
