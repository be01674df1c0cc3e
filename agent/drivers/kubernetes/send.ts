import type { IncomingMessage } from 'node:http';
import { isAgentError } from '../../errors.ts';
import { type Access, type Answer, bodyOf, type HttpCall, openCall, retryAfterMsOf } from './http.ts';
import { connectionError } from './kubernetes-errors.ts';
import { timeLimit } from './time-limit.ts';

/**
 * Sends one request. Rejects with an AgentError if no answer arrives within the limit, and with the reason of the first
 * aborted signal in `stops`.
 */
export async function sendOnce(
  access: Access,
  call: HttpCall,
  limitMs: number,
  ...stops: readonly AbortSignal[]
): Promise<Answer> {
  const limit = timeLimit(limitMs, ...stops);
  try {
    return await answerOf(await openCall(access, { ...call, signal: limit.signal }), call.longestBytes);
  } catch (error) {
    throw sendError(access, error, ...stops);
  } finally {
    limit.end();
  }
}

/** Reads an answer completely. */
export async function answerOf(incoming: IncomingMessage, longestBytes?: number): Promise<Answer> {
  const text = await bodyOf(incoming, longestBytes);
  const isJson = incoming.headers['content-type']?.startsWith('application/json') === true;
  return {
    status: incoming.statusCode ?? 0,
    body: isJson ? JSON.parse(text) : text,
    retryAfterMs: retryAfterMsOf(incoming),
  };
}

/** Converts the error of a request: returns the reason of an aborted signal, otherwise an AgentError. */
export function sendError(access: Access, error: unknown, ...stops: readonly AbortSignal[]): unknown {
  const stop = stops.find(({ aborted }) => aborted);
  if (stop !== undefined) return stop.reason;
  return isAgentError(error) ? error : connectionError(access, error);
}
