import type { ErrorKind } from '../../agent/errors.ts';

/** What an AgentError must be, in the form tap's `throws` and `rejects` take. */
export function failure(kind: ErrorKind, more: { message?: RegExp; facts?: object } = {}): Error {
  return { kind, ...more } as unknown as Error;
}
