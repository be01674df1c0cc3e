import { type AgentError, asAgentError, messageOf, withDetails } from './errors.ts';

/*
 * Combination of several failures of one run: the failure of the change, then that of the rollback, then that of the
 * cleanup. The run fails with one error that contains all of them in this order, so that no later failure hides the
 * first.
 */

/**
 * Returns two failures as one error, which contains them in the given order. The error has the kind, hint and exit code
 * of the first failure. If only the later failure is `not-restored`, the error has the kind, hint and exit code of the
 * later failure, because an administrator first has to know that the old state was not restored.
 */
export function followedBy(first: unknown, later: unknown): AgentError {
  const [one, two] = [asAgentError(first), asAgentError(later)];
  if (one === two) return one;
  const isDecidedLater = two.kind === 'not-restored' && one.kind !== 'not-restored';
  return isDecidedLater
    ? withDetails(two, { before: [...failuresOf(one), ...two.before] })
    : withDetails(one, { after: [...one.after, ...failuresOf(two)] });
}

/** Returns all failures that an error contains, the earliest first, each without the others. */
export function failuresOf(error: AgentError): readonly AgentError[] {
  if (error.before.length + error.after.length === 0) return [error];
  return [...error.before, withDetails(error, { before: [], after: [] }), ...error.after];
}

/** Returns the messages of all failures of an error as one sentence. */
export function wholeMessage(error: unknown): string {
  return failuresOf(asAgentError(error)).map(messageOf).join('; then ');
}

/**
 * Runs `work`, and then `end`, whether `work` succeeds or fails. If both fail, the error contains both failures; a
 * `finally` block would throw only the failure of `end` (ECMA-262, completion records of the try statement).
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

/** Runs `next` after a failure. Returns the failure; if `next` fails as well, returns both failures as one. */
export async function failedThen(error: unknown, next: () => unknown): Promise<unknown> {
  try {
    await next();
    return error;
  } catch (later) {
    return followedBy(error, later);
  }
}

/** Returns the messages of an error's causes (`cause`), the nearest first; at most eight. */
export function causeMessages(error: unknown): readonly string[] {
  const messages: string[] = [];
  let cause = error instanceof Error ? error.cause : undefined;
  while (cause instanceof Error && messages.length < 8) {
    messages.push(cause.message);
    cause = cause.cause;
  }
  return messages;
}
