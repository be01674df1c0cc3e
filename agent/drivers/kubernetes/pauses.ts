import { once } from 'node:events';
import { timeLimit } from './time-limit.ts';

/** How those who try again wait: all of them can be woken at once. */
export interface Pauses {
  /** One pause after the other for one who tries again, each longer than the one before. */
  series(stop: AbortSignal): Series;
  /** Ends all pauses that are under way. */
  wake(): void;
}

export interface Series {
  /** Waits, at least as long as the server asks for; shorter where it is woken or stopped. */
  wait(askedMs: number | null): Promise<void>;
  /** It has worked: the next pause is a short one again. */
  reset(): void;
}

export interface PauseLimits {
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** No server that is in order wants to be left alone for longer; what asks for more is not believed. */
const longestAskedMs = 5 * 60_000;

export function createPauses({ firstPauseMs, longestPauseMs }: PauseLimits): Pauses {
  let alarm = new AbortController();
  return {
    series: (stop) => {
      let nextMs = firstPauseMs;
      return {
        wait: async (askedMs) => {
          // Half of it by chance, or all who lost the server come back to it at one moment.
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
