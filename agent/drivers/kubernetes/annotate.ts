import { collectionPath } from '../../manifests/kinds.ts';
import { fieldAt } from '../../manifests/object.ts';
import type { Named } from '../../model/workload.ts';
import { type PersistentCall, persist } from './persist.ts';
import type { Session } from './session.ts';

/**
 * Writes annotations of a pod, and of no other one that has its name by now: a patch with another uid than the object's is refused. `gone`: there is no
 * such pod any more. Rejects as `persist` does.
 */
export async function annotatePod(
  session: Session,
  { namespace, name, uid }: Named,
  annotations: Readonly<Record<string, string | null>>,
): Promise<'written' | 'gone'> {
  const path = `${collectionPath('v1', 'pods', namespace)}/${name}`;
  const title = `pod ${namespace}/${name}`;
  const patch: PersistentCall = {
    call: {
      method: 'PATCH',
      path,
      // The answer would be the whole pod, which nobody reads.
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      contentType: 'application/merge-patch+json',
      body: { metadata: { uid, annotations } },
    },
    doing: `annotate ${title}`,
    answers: [404, 409],
  };
  const get: PersistentCall = { call: { method: 'GET', path }, doing: `read ${title}`, answers: [404] };
  for (;;) {
    const { status } = await persist(session, patch);
    if (status === 404) return 'gone';
    if (status !== 409) return 'written';
    // Of another uid, or changed by others over and over while the server tried to.
    const { status: found, body } = await persist(session, get);
    if (found === 404 || fieldAt(body, 'metadata', 'uid') !== uid) return 'gone';
  }
}
