import { type Collection, fieldAt, listAt } from '../../model/kubernetes/object.ts';
import { collectionCall } from '../../model/kubernetes/object-kinds.ts';
import type { Session } from './api-session.ts';
import type { Access } from './http.ts';
import { listPages } from './list-pages.ts';
import { openWatch } from './open-watch.ts';
import { isChange, versionAfter, watchLines } from './watch-lines.ts';

/** Returns the request for the CustomResourceDefinition of a collection (apiextensions.k8s.io/v1), as a list. */
function definitionCall({ apiVersion, plural }: Collection) {
  const name = `${plural}.${apiVersion.replace(/\/.*/, '')}`;
  const definitions = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions', namespace: null };
  return {
    ...collectionCall({ ...definitions, fieldSelector: `metadata.name=${name}` }),
    title: definitions.plural,
  };
}

/**
 * Asks whether the API server has the definition of a collection, and serves it. Resolves with null if it does;
 * otherwise with the version from which `definitionAppears` continues.
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
 * Waits until the API server serves the definition of a collection, without any further request. Returns early when the
 * watch ends, after some minutes.
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

/** Returns true if the API server serves the objects of a definition (condition `Established`). */
function isEstablished(definition: unknown): boolean {
  return listAt(definition, 'status', 'conditions').some(
    (condition) => fieldAt(condition, 'type') === 'Established' && fieldAt(condition, 'status') === 'True',
  );
}
