import { AgentError, asAgentError, messageOf } from '../../errors.ts';

/** The failure of a change that could not be taken back either; `hint` says what to do once the second reason is mended. */
export function notRestored(error: unknown, second: unknown, hint: string): AgentError {
  const message = `${asAgentError(error).message}; and the old state could not be restored: ${messageOf(second)}`;
  return new AgentError('not-restored', message, { hint, cause: error });
}
