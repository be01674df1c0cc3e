import { AgentError, messageOf } from '../../../errors.ts';
import { followedBy } from '../../../failures.ts';

/**
 * Combines the failure of a change with the failure of its rollback. `hint` names the command to run after the cause of
 * the second failure is fixed.
 */
export function notRestored(error: unknown, second: unknown, hint: string): AgentError {
  const message = `the old state could not be restored: ${messageOf(second)}`;
  return followedBy(error, new AgentError('not-restored', message, { hint, cause: second }));
}
