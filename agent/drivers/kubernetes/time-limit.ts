import { setMaxListeners } from 'node:events';

/** Signal that is aborted by another signal, or after a time limit. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Removes the time limit; the other signals stay effective. */
  clear(): void;
  /** Removes the time limit, and the listeners on the other signals. */
  end(): void;
}

/**
 * Creates a time limit that leaves no timer and no listener after `end`. AbortSignal.timeout would leave a timer for a
 * minute, and AbortSignal.any an entry in a signal that lasts as long as the process; both would accumulate in a daemon
 * that sends a request for each pod.
 */
export function timeLimit(limitMs: number, ...stops: readonly AbortSignal[]): TimeLimit {
  const limited = new AbortController();
  const abort = (): void => limited.abort();
  const timer = setTimeout(abort, limitMs);
  // The number of listeners is not limited: each concurrent request adds one to the signals, and Node.js would warn of
  // a leak.
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
