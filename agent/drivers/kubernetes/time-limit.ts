/** A signal that comes when somebody stops, or when time is over. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Time does not matter any more. */
  clear(): void;
}

/** Unlike with AbortSignal.timeout no timer is left after `clear`: a burst of requests would leave one for each, for a minute. */
export function timeLimit(stop: AbortSignal, limitMs: number): TimeLimit {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limitMs);
  return { signal: AbortSignal.any([stop, late.signal]), clear: () => clearTimeout(timer) };
}
