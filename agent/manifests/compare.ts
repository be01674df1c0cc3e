import { isDeepStrictEqual } from 'node:util';
import type { FieldChange, ObjectOutcome } from '../model/manifests.ts';
import { maskedChange } from './mask.ts';
import { fieldAt, type KubernetesObject } from './object.ts';

/** What only the server writes; it differs without anything having been changed. */
const serverFields = ['managedFields', 'resourceVersion', 'uid', 'generation', 'creationTimestamp', 'selfLink'];

/** The fields in which an object would change, secrets masked. Both are as the server has them, its defaults included. */
export function compareObjects(before: KubernetesObject, after: KubernetesObject): FieldChange[] {
  return changes('', comparable(before), comparable(after)).map((change) => maskedChange(after.kind, change));
}

/**
 * What applying an object does, from the server's verdict in a dry run: the object as it would be, which has a version only if it is there
 * already; null: it cannot be there. `before` is the object with our labels, `isKnown` whether an earlier apply put it there.
 */
export function applyOutcome(
  verdict: KubernetesObject | null,
  before: KubernetesObject | null,
  isKnown: boolean,
): ObjectOutcome['outcome'] {
  if (verdict?.metadata.resourceVersion === undefined) return 'created';
  if (!isKnown) return 'taken-over';
  // To the last field, also those that say who owns what: an apply may take part in a field without changing it.
  return isDeepStrictEqual(before, verdict) ? 'unchanged' : 'changed';
}

/** A counter of the daemonset's template that the server keeps as an annotation. */
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

/** The parts of a value by the name they have in a path; null for what has none. */
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
