import type { AccessSource } from './access-source.ts';
import type { PauseLimits, Pauses } from './pauses.ts';

/** What all calls of one API have in common. */
export interface Session {
  readonly access: AccessSource;
  readonly pauses: Pauses;
  readonly limits: SessionLimits;
  /** Ends everything. */
  readonly stop: AbortSignal;
}

export interface SessionLimits extends PauseLimits {
  /** An answer, or the head of a watch. */
  readonly answerMs: number;
  /** A watch of which nothing was heard, not even a bookmark. */
  readonly silenceMs: number;
  /** What the server is asked to end a watch after. */
  readonly watchSeconds: number;
  /** Objects of one answer of a list. */
  readonly pageSize: number;
  /** How often it is written at most that an Event was told again. */
  readonly countEveryMs: number;
}

/**
 * The API server ends a request of its own accord after a minute (--request-timeout) and sends a bookmark about every minute. A watch that begins anew
 * every five minutes finds new credentials before old ones run out. A page of pods is about a megabyte, and is parsed as a whole.
 */
export const sessionLimits: SessionLimits = {
  firstPauseMs: 1_000,
  longestPauseMs: 30_000,
  answerMs: 60_000,
  silenceMs: 120_000,
  watchSeconds: 300,
  pageSize: 200,
  countEveryMs: 60_000,
};
