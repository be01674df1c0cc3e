import { asAgentError } from '../errors.ts';
import type { Answer } from '../model/examination.ts';

/** What answers within 5 s on a machine that swaps; who needs longer hangs, and the other parts shall be reported all the same. */
const answerMs = 5_000;

/** What a part of the node answers, or why it does not, after 5 s at the latest. Never rejects. */
export async function answerOf<T>(who: string, ask: () => T | Promise<T>): Promise<Answer<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer<T>>((resolve) => {
    timer = setTimeout(() => {
      const message = `${who} did not answer within ${answerMs / 1000} s`;
      resolve({ value: null, failure: { kind: 'deadline-exceeded', message, hint: null } });
    }, answerMs);
  });
  const answer = (async (): Promise<Answer<T>> => {
    try {
      return { value: await ask(), failure: null };
    } catch (error) {
      const { kind, message, hint } = asAgentError(error);
      return { value: null, failure: { kind, message, hint: hint ?? null } };
    }
  })();
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
