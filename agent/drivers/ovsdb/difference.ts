import { isJsonArray, type Json } from './json.ts';
import type { ColumnType } from './schema.ts';

/** What tells two atoms of one column apart: the atom itself, or the uuid of a reference. */
type AtomKey = string | number | boolean;

/**
 * The new value of a column from its old one and the difference in an update2 or update3 (ovsdb-server(7) section 4.1.14). A column that
 * holds one value at the most comes as its new value, also when it is optional. Of a set come the elements that are in one of both values
 * only; of a map the pairs whose key is in one of both only, and the new pairs of keys whose value changed.
 */
export function applyDifference(type: ColumnType, old: Json, difference: Json): Json {
  if (!type.isComposite) return difference;
  return type.isMap ? applyToMap(old, difference) : applyToSet(old, difference);
}

/** The elements of a set, which a server writes bare when it is only one. */
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

/** The pairs of a map; none where it is no map. */
export function pairsOf(value: Json): readonly (readonly Json[])[] {
  return isJsonArray(value) && value[0] === 'map' && isJsonArray(value[1]) ? value[1].filter(isJsonArray) : [];
}

function compareKeys(one: AtomKey, other: AtomKey): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
