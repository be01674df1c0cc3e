import type { AccessSource } from './access-source.ts';
import type { PauseLimits, Pauses } from './pauses.ts';

/** State that all requests of one KubernetesApi share. */
export interface Session {
  readonly access: AccessSource;
  readonly pauses: Pauses;
  readonly limits: SessionLimits;
  /** Signal that ends all requests. */
  readonly stop: AbortSignal;
}

export interface SessionLimits extends PauseLimits {
  /** Time limit, in ms, of an answer and of the response headers of a watch. */
  readonly answerMs: number;
  /** Time, in ms, after which a watch without data, even without a bookmark, is closed. */
  readonly silenceMs: number;
  /** Time, in seconds, after which the server ends a watch (`timeoutSeconds` of the request). */
  readonly watchSeconds: number;
  /** Number of objects in one page of a list. */
  readonly pageSize: number;
  /** Shortest time, in ms, between two writes of an Event's count. */
  readonly countEveryMs: number;
}

/**
 * Default limits. The API server ends a request by itself after a minute (--request-timeout), and sends a bookmark
 * about every minute. A watch lasts five minutes; the kubeconfig is read again for the next one, so that new
 * credentials are used before the old ones expire. A page of pods has about a megabyte and is parsed in one piece.
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
