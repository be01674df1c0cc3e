import { asAgentError } from '../../../errors.ts';
import { interruptOnSignals } from '../../signals.ts';
import { wasStopped, withState, withStateOfNode } from '../../stopped.ts';

/**
 * Runs work that SIGTERM, SIGINT and SIGHUP stop. A signal aborts `stop` with an AgentError as the reason; the work
 * then rolls back and throws that reason. Throws the failure of the work. If a signal stopped the work, the message
 * ends with the state of the node.
 */
export async function stoppable<T>(
  say: (message: string) => void,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const end = interruptOnSignals({ signal, interrupt: (error) => controller.abort(error) }, say);
  try {
    return await work(signal);
  } catch (error) {
    const failure = asAgentError(error);
    if (!wasStopped(failure) || failure.kind !== 'interrupted') throw withStateOfNode(failure);
    throw withState(failure, 'what was begun is rolled back, and the node is in the state before');
  } finally {
    end();
  }
}
