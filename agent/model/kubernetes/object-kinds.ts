import type { Collection, ObjectReference } from './object.ts';

/** API path of a kind, and its wave. Objects of a wave need only objects of earlier waves. */
interface Kind {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly wave: number;
}

const rbac = 'rbac.authorization.k8s.io/v1';

/**
 * Kinds of the objects in the manifests. A daemonset comes last, because its pods start at once and need all other
 * objects.
 */
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

/** Kinds of objects that commands apply one at a time, and that no manifest contains. */
const singleKinds: Readonly<Record<string, Kind>> = {
  ClusterNetworkPolicy: {
    apiVersion: 'policy.networking.k8s.io/v1alpha2',
    plural: 'clusternetworkpolicies',
    namespaced: false,
    wave: 0,
  },
};

/** Returns the objects in the order of their waves. Objects of one wave can be applied in parallel. */
export function wavesOf<T extends { readonly kind: string }>(objects: readonly T[]): T[][] {
  const waves = [...new Set(objects.map(waveOf))].sort();
  return waves.map((wave) => objects.filter((object) => waveOf(object) === wave));
}

function waveOf({ kind }: { readonly kind: string }): number {
  return kinds[kind]?.wave ?? 0;
}

/** Returns the API path of a collection. */
export function collectionPath(apiVersion: string, plural: string, namespace: string | null): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace === null ? `${group}/${plural}` : `${group}/namespaces/${namespace}/${plural}`;
}

/** Returns the API path of a collection, and its selectors as query parameters. */
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

/** Returns the API path of an object; null for an unknown kind. */
export function objectPath({ apiVersion, kind, namespace, name }: ObjectReference): string | null {
  const known = kinds[kind] ?? singleKinds[kind];
  return known === undefined ? null : `${collectionPath(apiVersion, known.plural, namespace)}/${name}`;
}
