import { type AgentError, asAgentError, messageOf, withDetails } from './errors.ts';

/*
 * A run can fail more than once: its change, then the rollback, then what has to be closed. It fails with one error that holds all of them in the
 * order in which they happened, so that no later failure hides the first.
 */

/**
 * Both failures as one error, in this order. It has the kind, hint and exit code of the first, or of the later one where that says that the old
 * state was not restored (`not-restored`), which is what an admin has to know first.
 */
export function followedBy(first: unknown, later: unknown): AgentError {
  const [one, two] = [asAgentError(first), asAgentError(later)];
  if (one === two) return one;
  const isDecidedLater = two.kind === 'not-restored' && one.kind !== 'not-restored';
  return isDecidedLater
    ? withDetails(two, { before: [...failuresOf(one), ...two.before] })
    : withDetails(one, { after: [...one.after, ...failuresOf(two)] });
}

/** Every failure that an error holds, in the order in which they happened, each without the others. */
export function failuresOf(error: AgentError): readonly AgentError[] {
  if (error.before.length + error.after.length === 0) return [error];
  return [...error.before, withDetails(error, { before: [], after: [] }), ...error.after];
}

/** Returns the messages of all failures of an error as one sentence. */
export function wholeMessage(error: unknown): string {
  return failuresOf(asAgentError(error)).map(messageOf).join('; then ');
}

/**
 * Does something, and then what ends it, whether it failed or not. Where both fail, it fails with both; a `finally` would throw only the failure
 * of the end (ECMA-262, completion records of the try statement).
 */
export async function endingWith<T>(work: () => Promise<T>, end: () => unknown): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    throw await failedThen(error, end);
  }
  await end();
  return result;
}

/** Does what has to follow a failure; the failure, with that of what followed. */
export async function failedThen(error: unknown, next: () => unknown): Promise<unknown> {
  try {
    await next();
    return error;
  } catch (later) {
    return followedBy(error, later);
  }
}
