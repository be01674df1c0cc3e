import type { Json } from '../model/settings.ts';

/** Any object of the Kubernetes API, as JSON. */
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

/** What it takes to find an object again. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
}

export const namespaceName = 'openshift-ovn-kubernetes';

/** Field manager of everything we apply, and value of the managed-by label. */
export const fieldManager = 'microshift-net';

/** Everything of ours is found by it; it is never put on pods, whose selectors are older than we are. */
export const managedBySelector = `app.kubernetes.io/managed-by=${fieldManager}`;

/** The same as it stands in a rendered file. */
export const managedByLine = `app.kubernetes.io/managed-by: ${fieldManager}`;

export const ownerLabels: Readonly<Record<string, string>> = {
  'app.kubernetes.io/managed-by': fieldManager,
  'app.kubernetes.io/part-of': 'ovn-kubernetes',
};

/** The reference of an object. */
export function referenceOf(object: KubernetesObject): ObjectReference {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, namespace: metadata.namespace ?? null, name: metadata.name };
}

/** An object's name for people: `DaemonSet ovnkube-node`; everything namespaced of ours is in one namespace. */
export function titleOf(reference: ObjectReference): string {
  return `${reference.kind} ${reference.name}`;
}

/** The same text for the same object, another one for every other. */
export function keyOf({ apiVersion, kind, namespace, name }: ObjectReference): string {
  return [apiVersion, kind, namespace ?? '', name].join(' ');
}

/** The value at a path of field names, or undefined. */
export function fieldAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  );
}

/** The list at a path of field names; empty where there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const list = fieldAt(value, ...path);
  return Array.isArray(list) ? list : [];
}

/** What the API says with a reason and a message, in one line. */
export function explained(state: unknown): string {
  const [reason, message] = [fieldAt(state, 'reason'), fieldAt(state, 'message')].map((one) =>
    String(one ?? '').trim(),
  );
  return [reason, message?.split('\n').at(-1)].filter((part) => part !== '').join(': ') || 'no reason given';
}

/** A copy that may be changed. */
export function mutableCopy(object: KubernetesObject): Record<string, Json> {
  return structuredClone(object) as unknown as Record<string, Json>;
}
