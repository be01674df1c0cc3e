import { asAgentError, withDetails } from '../errors.ts';
import { interruptOnSignals } from './signals.ts';
import { wasStopped, withState, withStateOfNode } from './stopped.ts';

/** State of a node after the rollback of a command that was stopped. */
const rolledBack = 'what was begun is rolled back, and the node is in the state before';
/**
 * State of a member on which `overlay apply` was stopped. Each database transaction was carried out completely or not
 * at all, and the next `overlay apply` carries out the remaining ones.
 */
export const stillMember =
  'this node stays in its overlay, and the next `overlay apply` or the daemon makes what is missing';

/** Sentences at the end of the error of a command that was stopped. */
export interface Stopped {
  /** State of the node after the command was stopped. */
  readonly state?: string;
  /** Next step of the administrator; absent if the command only has to be run again. */
  readonly hint?: string;
}

/**
 * Runs work that SIGTERM, SIGINT and SIGHUP stop. A signal aborts `stop` with an AgentError as the reason; the work
 * then throws that reason, after its rollback if it has one. Throws the failure of the work. If a signal stopped the
 * work, the message ends with the sentences of `stopped`. `stopped` may be a function if the sentences depend on the
 * progress of the work; it returns null if the failure already has these sentences.
 */
export async function stoppable<T>(
  say: (message: string) => void,
  work: (stop: AbortSignal) => Promise<T>,
  stopped: Stopped | (() => Stopped | null) = {},
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const end = interruptOnSignals({ signal, interrupt: (error) => controller.abort(error) }, say);
  try {
    return await work(signal);
  } catch (error) {
    const failure = asAgentError(error);
    if (!wasStopped(failure) || failure.kind !== 'interrupted') throw withStateOfNode(failure);
    const sentences = typeof stopped === 'function' ? stopped() : stopped;
    if (sentences === null) throw failure;
    const { state = rolledBack, hint = failure.hint } = sentences;
    throw withState(withDetails(failure, { hint }), state);
  } finally {
    end();
  }
}
