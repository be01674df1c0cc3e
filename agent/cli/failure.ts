import type { Output } from '../commands/output.ts';
import { asAgentError, errorTable } from '../errors.ts';

/** Prints a failure and returns its exit code. */
export function reportFailure(error: unknown, output: Output): number {
  const failure = asAgentError(error);
  output.error(failure);
  return errorTable[failure.kind].exitCode;
}
