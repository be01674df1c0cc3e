import { setTimeout as pause } from 'node:timers/promises';
import { AgentError, asAgentError } from '../../errors.ts';
import { isPassing } from './errors.ts';

/** How long to put up with a cluster that is not there, and who wants to hear why we wait. */
export interface RetryBudget {
  /** How long altogether; 0: not at all. */
  readonly limitMs: number;
  /** When that is over, on the clock of performance.now(). */
  readonly end: number;
  readonly note: (reason: string) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * A refused connection sends no event when it would work, so starting servers have to be asked again. Shorter first pauses
 * would cost a booting node CPU; longer last ones would make the pods late.
 */
const firstPauseMs = 100;
const longestPauseMs = 2_000;

/** Runs a task again for as long as it fails with what goes away by itself, and the budget lasts. */
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

/** The last request may have gone on after the end; the message tells how long it really took. */
function gaveUp(error: AgentError, { limitMs, end }: RetryBudget): AgentError {
  const waitedMs = Math.max(limitMs, limitMs + performance.now() - end);
  return new AgentError(error.kind, `${error.message} (waited ${Math.round(waitedMs / 1000)} s)`, {
    hint: error.hint,
    cause: error,
    facts: error.facts,
  });
}
