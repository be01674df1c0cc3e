/**
 * Result of a run. `nothing`: no change was necessary. `followed`: the desired state had changed, and the run applied
 * it. `corrected`: the desired state was the same, but the node differed from it, and the run corrected the difference.
 */
export type Outcome = 'nothing' | 'followed' | 'corrected';

/**
 * Shortest pause before a run, in which further events arrive. One command of an administrator causes several events.
 */
const gatherMs = 100;
/**
 * Longest pause after a failure. The cause of a failure may disappear without an event, so the daemon has to try again
 * soon.
 */
const longestPauseMs = 60_000;
/**
 * Number of successive corrections without a pause. More of them mean that another program repeatedly writes other
 * values.
 */
const promptCorrections = 5;
/** Time without a correction after which corrections are counted from zero. */
const quietMs = 60_000;
/**
 * Ratio of the pause after a `followed` run to the duration of that run. If services change all the time, the runs take
 * at most a tenth of the time, unless they are so long that the pauses reach their limit of 5 s.
 */
const restPerRun = 9;
/** Longest pause after a `followed` run. */
const longestRestMs = 5_000;

/** Returns the pause after a number of failures in a row, in ms: 1 s, doubled with each failure, up to 60 s. */
export function retryAfterMs(failures: number): number {
  return Math.min(longestPauseMs, 1000 * 2 ** Math.min(failures - 1, 10));
}

/** Facts about past runs from which the start of the next run is determined. */
export interface Pace {
  /** Number of successive corrections, counted from zero after a minute without a correction. */
  readonly corrections: number;
  readonly correctedAtMs: number;
  /** Time on the monotonic clock before which the next run does not start. */
  readonly notBeforeMs: number;
}

export const firstPace: Pace = { corrections: 0, correctedAtMs: 0, notBeforeMs: 0 };

/**
 * Returns the facts about past runs, including a run that has just ended. `beganMs` and `endedMs` are times on the
 * monotonic clock. Only successive corrections lead to growing pauses; changes of the desired state do not.
 */
export function paceAfter(before: Pace, outcome: Outcome, beganMs: number, endedMs: number): Pace {
  if (outcome === 'nothing') return before;
  if (outcome === 'followed') {
    const restMs = Math.min(longestRestMs, restPerRun * (endedMs - beganMs));
    return { ...before, notBeforeMs: Math.max(before.notBeforeMs, endedMs + restMs) };
  }
  const isInRow = endedMs - before.correctedAtMs <= quietMs;
  const corrections = (isInRow ? before.corrections : 0) + 1;
  const extra = corrections - promptCorrections;
  return {
    corrections,
    correctedAtMs: endedMs,
    notBeforeMs: extra > 0 ? endedMs + retryAfterMs(extra) : before.notBeforeMs,
  };
}

/** Returns the pause from now until the next run, in ms: at least 100 ms. */
export function pauseMs({ notBeforeMs }: Pace, nowMs: number): number {
  return Math.max(gatherMs, notBeforeMs - nowMs);
}
