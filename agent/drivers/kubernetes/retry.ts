import { setTimeout as pause } from 'node:timers/promises';
import { AgentError, asAgentError } from '../../errors.ts';
import { isPassing } from './kubernetes-errors.ts';

/** Time for which requests to a cluster are repeated, and functions that receive messages for the user. */
export interface RetryBudget {
  /** Total time in ms; 0 for a single try. */
  readonly limitMs: number;
  /** Moment after which no request is repeated, on the clock of performance.now(). */
  readonly end: number;
  readonly note: (reason: string) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Pauses between attempts. Nothing reports that a starting server is ready, so it has to be polled. A shorter first
 * pause would use more CPU time of a booting node; a longer last pause would delay the pods.
 */
const firstPauseMs = 100;
const longestPauseMs = 2_000;

/**
 * Runs a task, and repeats it while it fails with an error that disappears by itself. Stops when the time in `budget`
 * is over.
 */
export async function persistently<T>(budget: RetryBudget, task: () => Promise<T>): Promise<T> {
  let noted = '';
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await task();
    } catch (thrown) {
      const error = asAgentError(thrown);
      if (!isPassing(error) || budget.signal.aborted) throw error;
      if (performance.now() + pauseMs > budget.end) throw budget.limitMs === 0 ? error : gaveUp(error, budget);
      if (error.message !== noted) budget.note(error.message);
      noted = error.message;
      await pause(pauseMs, undefined, { signal: budget.signal }).catch(() => undefined);
      if (budget.signal.aborted) throw budget.signal.reason;
    }
  }
}

/**
 * Returns the error with the time that the attempts took, which exceeds the limit if the last request ended after the
 * limit.
 */
function gaveUp(error: AgentError, { limitMs, end }: RetryBudget): AgentError {
  const waitedMs = Math.max(limitMs, limitMs + performance.now() - end);
  return new AgentError(error.kind, `${error.message} (waited ${Math.round(waitedMs / 1000)} s)`, {
    hint: error.hint,
    cause: error,
    facts: error.facts,
  });
}
