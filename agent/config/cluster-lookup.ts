import type { SourceText } from './source-text.ts';
import type { YamlMapping, YamlNode } from './yaml-tree.ts';

/** MicroShift's own file or one of its drop-ins, parsed. */
export interface ClusterFile {
  readonly source: SourceText;
  readonly root: YamlNode | null;
}

/** A key that was found: where it stands, and its value with aliases followed; null when it has none. */
export interface Found {
  readonly keyAt: number;
  readonly value: YamlNode | null;
}

/** Merge keys can refer to each other so often that following all of them would never end; no real file has this many. */
const maxHops = 1000;

/** Follows a path of keys; null when it is not in the file. A path that ends early in an empty value counts as empty. */
export function lookUp(root: YamlNode | null, keys: readonly string[]): Found | null {
  const budget = { hops: maxHops };
  // A file that holds nothing says nothing, unlike a key without a value.
  if (root === null) return null;
  let found: Found | null = { keyAt: 0, value: root };
  for (const key of keys) {
    if (found === null || found.value === null) return found;
    found = found.value.kind === 'mapping' ? entryOf(found.value, key, budget) : found;
  }
  return found;
}

/** The value of a key in a mapping, a later line before an earlier one, an own key before a merged one. */
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

/** The node an alias stands for, null for a value that is not there. */
export function resolve(node: YamlNode | null): YamlNode | null {
  // The target of an alias is an anchored node, never another alias; an alias of an unknown name stays what it is.
  const current = node?.kind === 'alias' ? (node.target ?? node) : node;
  if (current?.kind === 'scalar' && current.plain && /^(?:~|null|Null|NULL)?$/.test(current.text)) return null;
  return current;
}
