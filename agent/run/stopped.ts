import { type AgentError, asAgentError, withDetails } from '../errors.ts';
import { failuresOf } from '../failures.ts';

/**
 * Returns the failure of a run. If a signal stopped the run, the message ends with the state of the node: the
 * transaction was rolled back, the rollback is incomplete, or this run has not changed the node.
 */
export function withStateOfNode(error: unknown): AgentError {
  const failure = asAgentError(error);
  if (!wasStopped(failure)) return failure;
  if (failure.kind === 'interrupted') return withState(failure, stateAfter(failure));
  // If the rollback has failed as well, `failure` is that of the rollback, and the list of earlier failures in `before`
  // begins with the error of the signal that stopped the run.
  const [first, ...more] = failure.before;
  if (first === undefined) return failure;
  return withDetails(failure, { before: [withState(first, 'the rollback is incomplete'), ...more] });
}

/** Returns true if a signal stopped the run before any other failure. */
export function wasStopped(error: AgentError): boolean {
  return failuresOf(error)[0]?.kind === 'interrupted';
}

/** Returns the failure with the state of the node at the end of its message. */
export function withState(error: AgentError, state: string): AgentError {
  return withDetails(error, { message: `${error.message}; ${state}` });
}

function stateAfter({ facts: { ended, transaction } }: AgentError): string {
  return ended === 'rolled-back'
    ? `transaction ${transaction} is rolled back, and the node is in the state before it`
    : 'this run has not changed the node';
}
