import { asAgentError } from '../../errors.ts';
import type { Session } from './api-session.ts';
import type { Answer, HttpCall } from './http.ts';
import { isPassing, refusal, retryAfterMsIn } from './kubernetes-errors.ts';
import { sendOnce } from './send.ts';

/** Request that is repeated until it is answered. */
export interface PersistentCall {
  readonly call: HttpCall;
  /** Purpose of the request in words, which follow "may not" in messages: `annotate pod default/web`. */
  readonly doing: string;
  /** HTTP status codes that count as an answer, besides 200 and 201. */
  readonly answers: readonly number[];
  /** Signal that ends the request, besides that of the session. */
  readonly giveUp?: AbortSignal | undefined;
}

/**
 * Sends a request and repeats it while the API server is unreachable, starting, busy, or does not accept the
 * credentials yet. Rejects with an error that another try cannot fix. If the signal of the session or `giveUp` is
 * aborted, rejects with the reason of that signal.
 */
export async function persist(session: Session, { call, doing, answers, giveUp }: PersistentCall): Promise<Answer> {
  const { access, limits, stop } = session;
  const stops = giveUp === undefined ? [stop] : [stop, giveUp];
  const pauses = session.pauses.series(stop);
  for (;;) {
    for (const one of stops) one.throwIfAborted();
    try {
      const now = await access.current();
      const answer = await sendOnce(now, call, limits.answerMs, ...stops);
      if ([200, 201, ...answers].includes(answer.status)) return answer;
      throw refusal(now, answer, doing);
    } catch (thrown) {
      for (const one of stops) one.throwIfAborted();
      const error = asAgentError(thrown);
      const isStrange = error.facts.httpStatus === 401 || error.kind === 'cluster-untrusted';
      if (!isPassing(error) && !isStrange) throw error;
      access.doubt();
      await pauses.wait(retryAfterMsIn(error));
    }
  }
}
