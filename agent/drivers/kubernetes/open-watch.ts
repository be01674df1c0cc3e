import type { IncomingMessage } from 'node:http';
import { refusal } from './errors.ts';
import { type Access, type HttpCall, openCall } from './http.ts';
import type { AskedCollection } from './list-pages.ts';
import { answerOf, sendError } from './send.ts';
import type { Session } from './session.ts';
import { timeLimit } from './time-limit.ts';

/** A connection over which nothing comes is tried after this long; where nobody is there any more, Linux ends it ten seconds later. */
const keepAliveMs = 15_000;

/**
 * Opens a watch from a version on. The stream breaks when nothing at all comes for `silenceMs`, and when `stop` comes. null: the server does not have that
 * version any more (410). Rejects with an AgentError where there is no watch.
 */
export async function openWatch(
  { limits }: Pick<Session, 'limits'>,
  access: Access,
  { path, query, title }: AskedCollection,
  version: string,
  stop: AbortSignal,
): Promise<IncomingMessage | null> {
  const limit = timeLimit(limits.answerMs, stop);
  const options = {
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: version,
    timeoutSeconds: String(limits.watchSeconds),
  };
  let isOpen = false;
  try {
    const call: HttpCall = { method: 'GET', path, query: { ...query, ...options }, signal: limit.signal };
    const incoming = await openCall(access, call);
    if (incoming.statusCode === 200) {
      isOpen = true;
      limit.clear();
      incoming.once('close', limit.end).socket.setKeepAlive(true, keepAliveMs);
      return incoming.setTimeout(limits.silenceMs, () => incoming.destroy());
    }
    const answer = await answerOf(incoming);
    if (answer.status === 410) return null;
    throw refusal(access, answer, `watch ${title}`);
  } catch (error) {
    throw sendError(access, error, stop);
  } finally {
    if (!isOpen) limit.end();
  }
}
