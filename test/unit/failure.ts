import type { Test } from 'tap';
import type { ErrorKind } from '../../agent/errors.ts';

/** Returns a pattern of an AgentError for tap's `throws` and `rejects`. */
export function failure(kind: ErrorKind, more: { message?: RegExp; hint?: RegExp; facts?: object } = {}): Error {
  return { kind, ...more } as unknown as Error;
}

/** Checks that a call throws an error that matches, whatever its class is. */
export function throwsMatch(t: Test, run: () => unknown, wanted: object, name = 'throws'): void {
  try {
    run();
  } catch (error) {
    t.match(error, wanted, name);
    return;
  }
  t.fail(`${name}: nothing was thrown`);
}
