import { type AgentError, asAgentError, withDetails } from '../errors.ts';
import { failuresOf } from '../failures.ts';

/**
 * Returns the failure of a run; if a signal stopped the run, its message ends with the state of the node: a rolled back
 * transaction, an incomplete rollback, or no change by this run.
 */
export function withStateOfNode(error: unknown): AgentError {
  const failure = asAgentError(error);
  if (!wasStopped(failure)) return failure;
  if (failure.kind === 'interrupted') return withState(failure, stateAfter(failure));
  // The kind is that of the failed rollback.
  const [first, ...more] = failure.before;
  if (first === undefined) return failure;
  return withDetails(failure, { before: [withState(first, 'the rollback is incomplete'), ...more] });
}

/** Returns true if a signal stopped the run before anything else failed. */
export function wasStopped(error: AgentError): boolean {
  return failuresOf(error)[0]?.kind === 'interrupted';
}

/** Returns a failure whose message ends with this state. */
export function withState(error: AgentError, state: string): AgentError {
  return withDetails(error, { message: `${error.message}; ${state}` });
}

function stateAfter({ facts: { ended, transaction } }: AgentError): string {
  return ended === 'rolled-back'
    ? `transaction ${transaction} is rolled back, and the node is in the state before it`
    : 'this run has not changed the node';
}
