// Properties that every result of every target must have.

import { type AgentError, isAgentError } from '../../agent/errors.ts';
import { errorText } from '../../agent/view/error-view.ts';
import { errorDocument } from '../../agent/view/json/error-json.ts';
import { plain, printable as shown } from '../../agent/view/style.ts';

/**
 * Returns the kind of an AgentError. Throws for a finding: another error, an unexpected kind, a missing hint, or a
 * message with control characters.
 */
export function expectedFailure(error: unknown, kinds?: RegExp): string {
  if (!isAgentError(error) || error.kind === 'internal') throw error;
  if (kinds !== undefined && !kinds.test(error.kind))
    throw new Error(`unexpected kind ${error.kind}`, { cause: error });
  if (error.hint === undefined) throw new Error(`${error.kind} without a hint: ${error.message}`);
  // The message is formatted in the same way as for output without colours.
  printable(shown(errorText(error as AgentError, plain), plain), 'the message of a failure');
  JSON.stringify(errorDocument(error, 'apply'));
  return error.kind;
}

/** Throws if a text contains characters that control a terminal. */
export function printable(text: string, what: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the function searches for control characters
  const control = /[\0-\x08\x0b-\x1f\x7f-\x9f]/.exec(text)?.[0];
  if (control !== undefined) throw new Error(`${what} has the control character ${JSON.stringify(control)}`);
}
