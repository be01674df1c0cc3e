/**
 * Result of a run. `nothing`: no change was necessary. `followed`: the desired state had changed, and the run applied it. `corrected`: the desired
 * state was the same, and the run repaired drift.
 */
export type Outcome = 'nothing' | 'followed' | 'corrected';

/** Delay that gathers events. One command of an admin causes several events. */
const gatherMs = 100;
/** Longest pause between two attempts. The cause of a failure may end without an event. */
const longestPauseMs = 60_000;
/**
 * Number of corrections in a row that are made without a pause. More corrections mean that another program writes the
 * opposite repeatedly.
 */
const promptCorrections = 5;
/** Pause after which corrections do not count as in a row. */
const quietMs = 60_000;
/** Ratio of the pause to the duration of a run that followed a change: services that change all the time take a tenth of the time. */
const restPerRun = 9;
/** Longest pause after such a run, so that a busy machine does not delay services for longer. */
const longestRestMs = 5_000;

/** Returns the pause after a number of failures in a row: 1 s, 2 s, 4 s … 60 s. */
export function retryAfterMs(failures: number): number {
  return Math.min(longestPauseMs, 1000 * 2 ** Math.min(failures - 1, 10));
}

/** State of past runs that decides when the next one begins. */
export interface Pace {
  /** Corrections in a row, and the end of the last one on the monotonic clock. */
  readonly corrections: number;
  readonly correctedAtMs: number;
  /** Time on the monotonic clock before which the next run does not begin. */
  readonly notBeforeMs: number;
}

export const firstPace: Pace = { corrections: 0, correctedAtMs: 0, notBeforeMs: 0 };

/**
 * Returns the pace after a run that began and ended at these times of the monotonic clock. Only corrections in a row make the pauses grow:
 * changes that the cluster's objects ask for do not, however many there are.
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

/** Returns the pause from now until the next run. */
export function pauseMs({ notBeforeMs }: Pace, nowMs: number): number {
  return Math.max(gatherMs, notBeforeMs - nowMs);
}
