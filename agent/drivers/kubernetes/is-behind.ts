import { fieldAt } from '../../manifests/object.ts';
import { refusal } from './errors.ts';
import type { Access } from './http.ts';
import type { AskedCollection } from './list-pages.ts';
import { sendOnce } from './send.ts';
import type { Session } from './session.ts';

/**
 * Whether a server has not come as far as this version: it was restored from a backup, or is a new one. It takes a watch from there nevertheless and says
 * nothing, not even a bookmark, before it has come so far (kubernetes issue 107457). Rejects with an AgentError where it does not answer.
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
  // Versions are numbers (Kubernetes API concepts, "Resource versions"); of what is none nothing can be said.
  return [now, version].every((one) => /^[0-9]+$/.test(one)) && BigInt(now) < BigInt(version);
}
