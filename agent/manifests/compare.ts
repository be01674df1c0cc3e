import { isDeepStrictEqual } from 'node:util';
import { fieldAt, type KubernetesObject } from '../model/kubernetes/object.ts';
import type { FieldChange, ObjectOutcome } from '../model/manifests.ts';
import { maskedChange } from './masked-change.ts';

/**
 * Fields of an object's metadata that only the API server writes. They can differ although no user has changed the
 * object.
 */
const serverFields = ['managedFields', 'resourceVersion', 'uid', 'generation', 'creationTimestamp', 'selfLink'];

/**
 * Returns the fields in which an object would change, with secrets masked. The API server returned both the present
 * object `before` and the resulting object `after`. Both therefore include the defaults that the server adds.
 */
export function compareObjects(before: KubernetesObject, after: KubernetesObject): FieldChange[] {
  return changes('', comparable(before), comparable(after)).map((change) => maskedChange(after.kind, change));
}

/**
 * Returns the effect that an apply would have on an object. `verdict` is the object that the API server returned for a
 * dry run. It has a resourceVersion only if the object exists already, and is null if its namespace does not exist yet.
 * `before` is the existing object if it has the agent's labels, otherwise null. `isKnown` is true if the agent's
 * inventory lists the object.
 */
export function applyOutcome(
  verdict: KubernetesObject | null,
  before: KubernetesObject | null,
  isKnown: boolean,
): ObjectOutcome['outcome'] {
  if (verdict?.metadata.resourceVersion === undefined) return 'created';
  if (!isKnown) return 'taken-over';
  // The comparison includes metadata.managedFields, because an apply may make the agent the owner of a field without
  // changing its value.
  return isDeepStrictEqual(before, verdict) ? 'unchanged' : 'changed';
}

/** Annotation in which the API server counts the changes of a daemonset's pod template. */
const serverAnnotation = 'deprecated.daemonset.template.generation';

function comparable(object: KubernetesObject): unknown {
  const { status: _status, metadata, ...rest } = object;
  const { [serverAnnotation]: _counter, ...annotations } = metadata.annotations ?? {};
  const fields = Object.entries(metadata).filter(([name]) => !serverFields.includes(name));
  return { ...rest, metadata: { ...Object.fromEntries(fields), annotations } };
}

function changes(path: string, before: unknown, after: unknown): FieldChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [from, to] = [entriesOf(before), entriesOf(after)];
  if (from === null || to === null) return [{ path, before, after }];
  const names = [...new Set([...from.keys(), ...to.keys()])];
  return names.flatMap((name) => changes(`${path}${name}`.replace(/^\./, ''), from.get(name), to.get(name)));
}

/**
 * Returns the items of a list or the fields of an object, by the text that stands for each in a path (`[name]`,
 * `.field`); null for any other value.
 */
function entriesOf(value: unknown): Map<string, unknown> | null {
  if (Array.isArray(value)) {
    const names = value.map((item, index) => {
      const name = fieldAt(item, 'name') ?? fieldAt(item, 'mountPath');
      return `[${typeof name === 'string' ? name : index}]`;
    });
    const unique = new Set(names).size === names.length;
    return new Map(value.map((item, index) => [unique ? (names[index] ?? '') : `[${index}]`, item]));
  }
  if (typeof value !== 'object' || value === null) return null;
  const plain = /^[A-Za-z0-9_-]+$/;
  return new Map(Object.entries(value).map(([name, item]) => [plain.test(name) ? `.${name}` : `["${name}"]`, item]));
}
