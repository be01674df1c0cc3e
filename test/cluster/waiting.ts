// Waits at most a minute for a condition that events fulfil.
import { setTimeout as later } from 'node:timers/promises';

const patienceMs = 60_000;

export interface Waiting {
  /** Reports a change, after which all callers that wait check their condition. */
  look(): void;
  /** Resolves when the condition is true; rejects after a minute with the description of the condition. */
  until(isSo: () => boolean, what: () => string): Promise<void>;
}

export function createWaiting(): Waiting {
  const looks = new Set<() => void>();
  return {
    look: () => {
      for (const look of looks) look();
    },
    until: async (isSo, what) => {
      const end = new AbortController();
      const seen = new Promise<'seen'>((resolve) => {
        const look = (): void => {
          if (isSo()) resolve('seen');
        };
        looks.add(look);
        end.signal.addEventListener('abort', () => looks.delete(look));
        look();
      });
      const late = later(patienceMs, 'late', { signal: end.signal }).catch(() => 'seen');
      const outcome = await Promise.race([seen, late]);
      end.abort();
      if (outcome === 'late') throw new Error(`waited for a minute until ${what()}`);
    },
  };
}
