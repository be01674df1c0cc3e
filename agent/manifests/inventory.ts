import {
  fieldAt,
  type KubernetesObject,
  keyOf,
  namespaceName,
  type ObjectReference,
  ownerLabels,
} from '../model/kubernetes/object.ts';
import { kinds } from '../model/kubernetes/object-kinds.ts';
import type { Flavor } from '../model/manifest-flavors.ts';

/**
 * ConfigMap in the cluster that lists the applied objects. The labels of the objects are not sufficient to find all of
 * them: labels can be removed by hand, and a search needs the kinds of the objects, some of which a later release may
 * no longer know.
 */
export const inventoryReference: ObjectReference = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: namespaceName,
  name: 'microshift-net-inventory',
};

/** Returns the inventory as an object. */
export function inventoryObject(flavor: Flavor | 'changing', references: readonly ObjectReference[]): KubernetesObject {
  const { apiVersion, kind, name } = inventoryReference;
  const keys = [...new Set(references.map(keyOf))].sort();
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: namespaceName, labels: { ...ownerLabels } },
    data: { flavor, objects: keys.map((key) => `${key}\n`).join('') },
  };
}

/**
 * Returns the references in an inventory; an empty list if `inventory` is null. Lines of another form, or of a kind
 * that the agent does not know, are left out.
 */
export function inventoryReferences(inventory: KubernetesObject | null): ObjectReference[] {
  const text = fieldAt(inventory, 'data', 'objects');
  if (typeof text !== 'string') return [];
  return text.split('\n').flatMap((line) => {
    const [apiVersion = '', kind = '', namespace = '', name = '', ...rest] = line.split(' ');
    const known = kinds[kind]?.apiVersion === apiVersion && name !== '' && rest.length === 0;
    return known ? [{ apiVersion, kind, namespace: namespace === '' ? null : namespace, name }] : [];
  });
}

/**
 * Returns the references to objects that were applied earlier and are not desired any more. The inventory itself is
 * never among them.
 */
export function staleReferences(
  earlier: readonly ObjectReference[],
  wanted: readonly ObjectReference[],
): ObjectReference[] {
  const keep = new Set([...wanted, inventoryReference].map(keyOf));
  const stale = new Map(earlier.filter((one) => !keep.has(keyOf(one))).map((one) => [keyOf(one), one]));
  return [...stale.values()];
}
