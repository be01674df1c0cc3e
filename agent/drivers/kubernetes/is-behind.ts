import { fieldAt } from '../../model/kubernetes/object.ts';
import type { Session } from './api-session.ts';
import type { Access } from './http.ts';
import { refusal } from './kubernetes-errors.ts';
import type { AskedCollection } from './list-pages.ts';
import { sendOnce } from './send.ts';

/**
 * Returns true if a server has not reached this version, because it was restored from a backup or replaced by a new
 * server. Such a server accepts a watch from that version, but sends nothing, not even a bookmark, until it reaches the
 * version (kubernetes issue 107457). Rejects with an AgentError if the server does not answer.
 */
export async function isBehind(
  { limits }: Pick<Session, 'limits'>,
  access: Access,
  { path, query, title }: AskedCollection,
  version: string,
  stop: AbortSignal,
): Promise<boolean> {
  const call = { method: 'GET', path, query: { ...query, limit: '1' } } as const;
  const answer = await sendOnce(access, call, limits.answerMs, stop);
  if (answer.status !== 200) throw refusal(access, answer, `list ${title}`);
  const now = String(fieldAt(answer.body, 'metadata', 'resourceVersion'));
  // Versions are numbers (Kubernetes API concepts, "Resource versions"); other values cannot be compared.
  return [now, version].every((one) => /^[0-9]+$/.test(one)) && BigInt(now) < BigInt(version);
}
