import { fieldAt, fieldManager } from '../../model/kubernetes/object.ts';
import { collectionPath } from '../../model/kubernetes/object-kinds.ts';
import type { Named } from '../../model/workload.ts';
import type { Session } from './api-session.ts';
import type { HttpCall } from './http.ts';
import { persist } from './persist.ts';

/** Media type that limits the answer to the metadata of the object. */
const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/**
 * Writes annotations of a pod, but not those of a new pod with the same name: the server rejects a patch with the uid
 * of another object. Resolves with `gone` if the pod no longer exists. Rejects with an error that another try cannot
 * fix, or with the reason of an aborted signal.
 */
export async function annotatePod(
  session: Session,
  { namespace, name, uid }: Named,
  annotations: Readonly<Record<string, string | null>>,
  giveUp?: AbortSignal,
): Promise<'written' | 'gone'> {
  const path = `${collectionPath('v1', 'pods', namespace)}/${name}`;
  const title = `pod ${namespace}/${name}`;
  const patch: HttpCall = {
    method: 'PATCH',
    path,
    accept: metadataOnly,
    contentType: 'application/merge-patch+json',
    body: { metadata: { uid, annotations } },
  };
  let mayBeAnother = true;
  for (;;) {
    const answers = mayBeAnother ? [404, 409, 422] : [404, 409];
    const { status } = await persist(session, { call: patch, doing: `annotate ${title}`, answers, giveUp });
    if (status === 404) return 'gone';
    if (status < 300) return 'written';
    // The server refuses the patch if the pod has another uid or would be invalid with these annotations (422), or if
    // other clients keep changing the pod (409).
    const doing = `read ${title}`;
    const { status: found, body } = await persist(session, {
      call: { method: 'GET', path },
      doing,
      answers: [404],
      giveUp,
    });
    if (found === 404 || fieldAt(body, 'metadata', 'uid') !== uid) return 'gone';
    mayBeAnother = status !== 422;
  }
}

/**
 * Writes annotations of a Node through its subresource `status`, which can change neither the specification nor the
 * taints of the Node. The server records this program as the writer of the annotations (metadata.managedFields).
 * Resolves with `gone` if the Node does not exist. Rejects with an error that another try cannot fix, or with the
 * reason of an aborted signal.
 */
export async function annotateNode(
  session: Session,
  name: string,
  annotations: Readonly<Record<string, string | null>>,
  giveUp?: AbortSignal,
): Promise<'written' | 'gone'> {
  const call: HttpCall = {
    method: 'PATCH',
    path: `${collectionPath('v1', 'nodes', null)}/${name}/status`,
    query: { fieldManager },
    accept: metadataOnly,
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations } },
  };
  const { status } = await persist(session, { call, doing: `annotate node ${name}`, answers: [404], giveUp });
  return status === 404 ? 'gone' : 'written';
}
