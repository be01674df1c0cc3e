import type { Collection } from './cluster-port.ts';
import type { ObjectReference } from './object.ts';

/** How a kind is addressed, and when its turn is: objects of a wave need only those of the waves before it. */
interface Kind {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly wave: number;
}

const rbac = 'rbac.authorization.k8s.io/v1';

/** Every kind we apply. A daemonset comes last: its pods start at once and need all the rest. */
export const kinds: Readonly<Record<string, Kind>> = {
  Namespace: { apiVersion: 'v1', plural: 'namespaces', namespaced: false, wave: 0 },
  ServiceAccount: { apiVersion: 'v1', plural: 'serviceaccounts', namespaced: true, wave: 1 },
  ConfigMap: { apiVersion: 'v1', plural: 'configmaps', namespaced: true, wave: 1 },
  ClusterRole: { apiVersion: rbac, plural: 'clusterroles', namespaced: false, wave: 1 },
  Role: { apiVersion: rbac, plural: 'roles', namespaced: true, wave: 1 },
  ClusterRoleBinding: { apiVersion: rbac, plural: 'clusterrolebindings', namespaced: false, wave: 2 },
  RoleBinding: { apiVersion: rbac, plural: 'rolebindings', namespaced: true, wave: 2 },
  DaemonSet: { apiVersion: 'apps/v1', plural: 'daemonsets', namespaced: true, wave: 3 },
};

/** The objects in the order of their waves; those of one wave may go at once. */
export function wavesOf<T extends { readonly kind: string }>(objects: readonly T[]): T[][] {
  const turns = [...new Set(objects.map(waveOf))].sort();
  return turns.map((turn) => objects.filter((object) => waveOf(object) === turn));
}

function waveOf({ kind }: { readonly kind: string }): number {
  return kinds[kind]?.wave ?? 0;
}

/** The API's path of a collection. */
export function collectionPath(apiVersion: string, plural: string, namespace: string | null): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace === null ? `${group}/${plural}` : `${group}/namespaces/${namespace}/${plural}`;
}

/** The same with what narrows it. */
export function collectionCall({ apiVersion, plural, namespace, labelSelector, fieldSelector }: Collection): {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
} {
  const query = {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
  return { path: collectionPath(apiVersion, plural, namespace), query };
}

/** The API's path of an object; null for a kind we do not know. */
export function objectPath({ apiVersion, kind, namespace, name }: ObjectReference): string | null {
  const known = kinds[kind];
  return known === undefined ? null : `${collectionPath(apiVersion, known.plural, namespace)}/${name}`;
}
