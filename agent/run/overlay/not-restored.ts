import { AgentError, messageOf } from '../../errors.ts';
import { followedBy } from '../../failures.ts';

/** The failure of a change, and that of its rollback; `hint` says what to do once the second reason is mended. */
export function notRestored(error: unknown, second: unknown, hint: string): AgentError {
  const message = `the old state could not be restored: ${messageOf(second)}`;
  return followedBy(error, new AgentError('not-restored', message, { hint, cause: second }));
}
