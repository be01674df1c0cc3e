import { isJsonArray, type Json } from './json.ts';
import type { ColumnType } from './schema.ts';

/** Key by which an atom is compared: the atom itself, or the UUID of a reference. */
type AtomKey = string | number | boolean;

/**
 * Returns the new value of a column from its old value and the difference in an update2 or update3 (ovsdb-server(7)
 * section 4.1.14). For a column with at most one value, including an optional one, the difference is the new value. For
 * a set, the difference contains the elements that are in only one of the two values. For a map, it contains the pairs
 * whose key is in only one of the two values, and the new pairs of keys whose value changed.
 */
export function applyDifference(type: ColumnType, old: Json, difference: Json): Json {
  if (!type.isComposite) return difference;
  return type.isMap ? applyToMap(old, difference) : applyToSet(old, difference);
}

/** Returns the elements of a set. A server writes a set of one element as the bare element. */
export function elementsOf(value: Json): readonly Json[] {
  return isJsonArray(value) && value[0] === 'set' && isJsonArray(value[1]) ? value[1] : [value];
}

export function keyOf(atom: Json | undefined): AtomKey {
  return (isJsonArray(atom) ? atom[1] : atom) as AtomKey;
}

function applyToSet(old: Json, difference: Json): Json {
  const toggled = new Map(elementsOf(difference).map((atom) => [keyOf(atom), atom]));
  const elements = elementsOf(old).filter((atom) => !toggled.delete(keyOf(atom)));
  if (toggled.size > 0) elements.push(...toggled.values());
  elements.sort((one, other) => compareKeys(keyOf(one), keyOf(other)));
  const [only] = elements;
  return elements.length === 1 && only !== undefined ? only : ['set', elements];
}

function applyToMap(old: Json, difference: Json): Json {
  const pairs = new Map(pairsOf(old).map((pair) => [keyOf(pair[0]), pair]));
  for (const pair of pairsOf(difference)) {
    const key = keyOf(pair[0]);
    const before = pairs.get(key);
    if (before !== undefined && keyOf(before[1]) === keyOf(pair[1])) pairs.delete(key);
    else pairs.set(key, pair);
  }
  return ['map', [...pairs.values()].sort((one, other) => compareKeys(keyOf(one[0]), keyOf(other[0])))];
}

/** Returns the pairs of a map; an empty list if the value is not a map. */
export function pairsOf(value: Json): readonly (readonly Json[])[] {
  return isJsonArray(value) && value[0] === 'map' && isJsonArray(value[1]) ? value[1].filter(isJsonArray) : [];
}

function compareKeys(one: AtomKey, other: AtomKey): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
