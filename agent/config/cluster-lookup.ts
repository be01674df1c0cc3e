import type { SourceText } from './source-text.ts';
import type { YamlMapping, YamlNode } from './yaml-tree.ts';

/** MicroShift's own file or one of its drop-ins, as parsed. */
export interface ClusterFile {
  readonly source: SourceText;
  readonly root: YamlNode | null;
}

/** A key that was found: its offset, and its value with aliases resolved. The value is null if it is empty. */
export interface Found {
  readonly keyAt: number;
  readonly value: YamlNode | null;
}

/**
 * Largest number of mappings that are searched because merge keys (`<<`) refer to them. Merge keys can refer to each
 * other without end; no real file has this many.
 */
const maxHops = 1000;

/**
 * Returns the key at the end of a path of keys; null if the file does not have this key. If a key on the path has a
 * value that is empty or not a mapping, this key is the result.
 */
export function lookUp(root: YamlNode | null, keys: readonly string[]): Found | null {
  const budget = { hops: maxHops };
  // An empty file has no effect. Only a key without a value removes the values of earlier files.
  if (root === null) return null;
  let found: Found | null = { keyAt: 0, value: root };
  for (const key of keys) {
    if (found === null || found.value === null) return found;
    found = found.value.kind === 'mapping' ? entryOf(found.value, key, budget) : found;
  }
  return found;
}

/**
 * Returns the value of a key in a mapping; null if the mapping does not have it. A later line takes precedence over an
 * earlier one, and a key of the mapping itself over a merged key.
 */
export function entryOf(mapping: YamlMapping, key: string, budget = { hops: maxHops }): Found | null {
  const own = mapping.entries.findLast((entry) => entry.key.kind === 'scalar' && entry.key.text === key);
  if (own !== undefined) return { keyAt: own.key.at, value: resolve(own.value) };
  const merge = mapping.entries.findLast(
    (entry) => entry.key.kind === 'scalar' && entry.key.plain && entry.key.text === '<<',
  );
  const merged = resolve(merge?.value ?? null);
  if (merged === null) return null;
  for (const node of merged.kind === 'sequence' ? merged.items : [merged]) {
    if (budget.hops-- <= 0) return null;
    const source = resolve(node);
    const found = source?.kind === 'mapping' ? entryOf(source, key, budget) : null;
    if (found !== null) return found;
  }
  return null;
}

/** Returns a YAML node, or for an alias the node for which the alias stands; null for an empty value. */
export function resolve(node: YamlNode | null): YamlNode | null {
  // The target of an alias is an anchored node and never another alias. An alias with an unknown name stands for
  // itself.
  const current = node?.kind === 'alias' ? (node.target ?? node) : node;
  if (current?.kind === 'scalar' && current.plain && /^(?:~|null|Null|NULL)?$/.test(current.text)) return null;
  return current;
}
