/** Object of the Kubernetes API as JSON. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMetadata;
  readonly [field: string]: unknown;
}

interface ObjectMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Objects of a kind in a namespace, or in all namespaces (null), restricted by selectors. */
export interface Collection {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespace: string | null;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * True for objects whose CustomResourceDefinition may be absent. While the definition is absent, the list of objects
   * is empty; once the definition is installed, the objects are followed.
   */
  readonly isOptional?: true;
}

/** Identity of an object in the API. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
}

export const namespaceName = 'openshift-ovn-kubernetes';

/** Field manager of all objects that the agent applies, and value of the managed-by label. */
export const fieldManager = 'microshift-net';

/** Label selector that finds all objects of the manifests. The pods of their daemonsets do not have the label. */
export const managedBySelector = `app.kubernetes.io/managed-by=${fieldManager}`;

/** Line of a rendered manifest with the managed-by label. */
export const managedByLine = `app.kubernetes.io/managed-by: ${fieldManager}`;

export const ownerLabels: Readonly<Record<string, string>> = {
  'app.kubernetes.io/managed-by': fieldManager,
  'app.kubernetes.io/part-of': 'ovn-kubernetes',
};

/** Returns the reference to an object. */
export function referenceOf(object: KubernetesObject): ObjectReference {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, namespace: metadata.namespace ?? null, name: metadata.name };
}

/**
 * Returns the name of an object for the user: `DaemonSet ovnkube-node`. The namespace is left out, because all
 * namespaced objects of the agent are in the same one.
 */
export function titleOf(reference: ObjectReference): string {
  return `${reference.kind} ${reference.name}`;
}

/** Returns a text that is unique for each object. */
export function keyOf({ apiVersion, kind, namespace, name }: ObjectReference): string {
  return [apiVersion, kind, namespace ?? '', name].join(' ');
}

/** Returns the value at a path of field names; undefined if it does not exist. */
export function fieldAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  );
}

/** Returns the list at a path of field names; an empty list if it does not exist. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const list = fieldAt(value, ...path);
  return Array.isArray(list) ? list : [];
}

/** Returns the reason and the last line of the message of a condition, an Event or a container's state, as one line. */
export function explained(state: unknown): string {
  const [reason, message] = [fieldAt(state, 'reason'), fieldAt(state, 'message')].map((one) =>
    String(one ?? '').trim(),
  );
  return [reason, message?.split('\n').at(-1)].filter((part) => part !== '').join(': ') || 'no reason given';
}

/** Returns a mutable copy of an object. */
export function mutableCopy(object: KubernetesObject): {
  -readonly [F in keyof KubernetesObject]: KubernetesObject[F];
} {
  return structuredClone(object);
}
