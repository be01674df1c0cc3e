import { type Collection, fieldAt, listAt } from '../../model/kubernetes/object.ts';
import { collectionCall } from '../../model/kubernetes/object-kinds.ts';
import type { Session } from './api-session.ts';
import type { Access } from './http.ts';
import { listPages } from './list-pages.ts';
import { openWatch } from './open-watch.ts';
import { isChange, versionAfter, watchLines } from './watch-lines.ts';

/**
 * Returns the request for the CustomResourceDefinition of a collection (apiextensions.k8s.io/v1). The answer is a list
 * with at most one object.
 */
function definitionCall({ apiVersion, plural }: Collection) {
  const name = `${plural}.${apiVersion.replace(/\/.*/, '')}`;
  const definitions = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions', namespace: null };
  return {
    ...collectionCall({ ...definitions, fieldSelector: `metadata.name=${name}` }),
    title: definitions.plural,
  };
}

/**
 * Lists the CustomResourceDefinition of a collection. Resolves with the version of the list if the API server does not
 * serve the objects of the collection; a watch from this version reports the definition when it appears. Resolves with
 * null if the API server serves the objects. Also resolves with null if the list took so long that the API server no
 * longer has the version (410).
 */
export async function versionWithoutDefinition(
  session: Session,
  access: Access,
  collection: Collection,
  stop: AbortSignal,
): Promise<string | null> {
  const pages = await listPages(session, access, definitionCall(collection), isEstablished, stop);
  return pages === null || pages.objects.includes(true) ? null : pages.version;
}

/**
 * Waits until the API server serves the objects of a CustomResourceDefinition. Sends one request, a watch. When the
 * watch ends, after some minutes, the function returns even if the objects are not served yet.
 */
export async function definitionAppears(
  session: Session,
  access: Access,
  collection: Collection,
  version: string,
  stop: AbortSignal,
): Promise<void> {
  const incoming = await openWatch(session, access, definitionCall(collection), version, stop);
  if (incoming === null) return;
  try {
    for await (const lines of watchLines(incoming)) {
      if (stop.aborted || versionAfter(lines) === null) return;
      if (lines.some((line) => isChange(line) && line.type !== 'DELETED' && isEstablished(line.object))) return;
    }
  } finally {
    incoming.destroy();
  }
}

/** Returns true if the API server serves the objects of a CustomResourceDefinition (condition `Established`). */
function isEstablished(definition: unknown): boolean {
  return listAt(definition, 'status', 'conditions').some(
    (condition) => fieldAt(condition, 'type') === 'Established' && fieldAt(condition, 'status') === 'True',
  );
}
