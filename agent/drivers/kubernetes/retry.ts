import { setTimeout as pause } from 'node:timers/promises';
import { AgentError, asAgentError } from '../../errors.ts';
import { isPassing } from './kubernetes-errors.ts';

/** Time for which a cluster that does not answer is tried again, and receivers of the reasons. */
export interface RetryBudget {
  /** Total time in ms; 0 for a single try. */
  readonly limitMs: number;
  /** End of the time, on the clock of performance.now(). */
  readonly end: number;
  readonly note: (reason: string) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Pauses between tries. A refused connection causes no event when the server is ready, so a starting server has to be
 * polled. A shorter first pause would cost a booting node CPU; a longer last one would delay the pods.
 */
const firstPauseMs = 100;
const longestPauseMs = 2_000;

/** Runs a task again while it fails with an error that disappears by itself and the budget lasts. */
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

/** Error with the time that the tries really took, because the last request may have continued after the end. */
function gaveUp(error: AgentError, { limitMs, end }: RetryBudget): AgentError {
  const waitedMs = Math.max(limitMs, limitMs + performance.now() - end);
  return new AgentError(error.kind, `${error.message} (waited ${Math.round(waitedMs / 1000)} s)`, {
    hint: error.hint,
    cause: error,
    facts: error.facts,
  });
}
