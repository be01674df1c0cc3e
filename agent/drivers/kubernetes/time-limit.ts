import { setMaxListeners } from 'node:events';

/** A signal that comes when somebody stops, or when time is over. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Time does not matter any more; who stops still does. */
  clear(): void;
  /** Nothing comes any more. */
  end(): void;
}

/**
 * Leaves nothing behind after `end`, where AbortSignal.timeout leaves a timer for a minute and AbortSignal.any an entry in the signal that is there as long as the
 * process: a daemon makes a request for each pod.
 */
export function timeLimit(limitMs: number, ...stops: readonly AbortSignal[]): TimeLimit {
  const limited = new AbortController();
  const abort = (): void => limited.abort();
  const timer = setTimeout(abort, limitMs);
  // As many as there are requests at a time listen, which is no leak.
  setMaxListeners(0, ...stops);
  for (const stop of stops) stop.addEventListener('abort', abort);
  if (stops.some(({ aborted }) => aborted)) abort();
  const clear = (): void => clearTimeout(timer);
  return {
    signal: limited.signal,
    clear,
    end: () => {
      clear();
      for (const stop of stops) stop.removeEventListener('abort', abort);
    },
  };
}
