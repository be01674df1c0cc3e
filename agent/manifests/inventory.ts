import type { Flavor } from './flavor.ts';
import { kinds } from './kinds.ts';
import { fieldAt, type KubernetesObject, keyOf, namespaceName, type ObjectReference, ownerLabels } from './object.ts';

/** The list of what an apply put on the server, kept there: labels can be removed by hand, and kinds can leave our list. */
export const inventoryReference: ObjectReference = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: namespaceName,
  name: 'microshift-net-inventory',
};

/** The inventory as an object. */
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

/** What an inventory lists; empty for null (none yet) and for lines nobody of ours wrote. */
export function inventoryReferences(inventory: KubernetesObject | null): ObjectReference[] {
  const text = fieldAt(inventory, 'data', 'objects');
  if (typeof text !== 'string') return [];
  return text.split('\n').flatMap((line) => {
    const [apiVersion = '', kind = '', namespace = '', name = '', ...rest] = line.split(' ');
    const known = kinds[kind]?.apiVersion === apiVersion && name !== '' && rest.length === 0;
    return known ? [{ apiVersion, kind, namespace: namespace === '' ? null : namespace, name }] : [];
  });
}

/** What was put there earlier and is wanted no more. */
export function staleReferences(
  earlier: readonly ObjectReference[],
  wanted: readonly ObjectReference[],
): ObjectReference[] {
  const keep = new Set([...wanted, inventoryReference].map(keyOf));
  const stale = new Map(earlier.filter((one) => !keep.has(keyOf(one))).map((one) => [keyOf(one), one]));
  return [...stale.values()];
}
