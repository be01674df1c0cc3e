import type { IncomingMessage } from 'node:http';
import type { Session } from './api-session.ts';
import { type Access, type HttpCall, openCall } from './http.ts';
import { refusal } from './kubernetes-errors.ts';
import type { AskedCollection } from './list-pages.ts';
import { answerOf, sendError } from './send.ts';
import { timeLimit } from './time-limit.ts';

/**
 * Time without data after which the connection of a watch is probed (TCP keepalive). Linux closes the connection ten
 * seconds later if the server does not answer.
 */
const keepAliveMs = 15_000;

/**
 * Opens a watch that begins after a version. The stream is destroyed after `silenceMs` without data, and when `stop` is
 * aborted. Returns null if the server no longer has the version (410). Rejects with an AgentError if the watch cannot
 * be opened.
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
