import type { ErrorKind } from '../../agent/errors.ts';

/** Pattern of an AgentError for tap's `throws` and `rejects`. */
export function failure(kind: ErrorKind, more: { message?: RegExp; hint?: RegExp; facts?: object } = {}): Error {
  return { kind, ...more } as unknown as Error;
}
