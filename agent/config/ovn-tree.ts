import { visibleText } from '../printable.ts';
import { maxProblems, type Problem } from './problem.ts';
import { scalarValue } from './scalar.ts';
import { lineOf, type SourceText } from './source-text.ts';
import type { YamlMapping, YamlNode, YamlScalar } from './yaml-tree.ts';

/** A setting with its position in the file. */
export interface Place {
  readonly keys: readonly string[];
  readonly key: YamlScalar;
  readonly node: YamlNode;
  /** Value of the YAML node; undefined for an empty value, which MicroShift itself ignores and the schema skips. */
  readonly value: unknown;
}

/** ovn.yaml as a plain value for the schema, with the position of every setting by JSON pointer. */
export interface OvnTree {
  readonly value: Readonly<Record<string, unknown>>;
  readonly places: ReadonlyMap<string, Place>;
  readonly problems: readonly Problem[];
}

/**
 * Returns the JSON pointer (RFC 6901) of a path of keys, by which the validator of the schema names the position of a
 * fault.
 */
export function pointer(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

const refusals = {
  anchor: [
    'anchors (&name) and aliases (*name) are refused: each setting has its value, and so its source, on its own line',
    'write the value itself',
  ],
  merge: [
    'merge keys (<<) are refused: each setting has its value, and so its source, on its own line',
    'write the settings themselves',
  ],
  tag: ['YAML tags (!name) are refused: the kind of a value follows from the setting', 'remove the tag'],
  key: ['a key must be a plain word', 'write "key: value"'],
} as const;

/** Reads the tree of ovn.yaml. Refuses YAML features that would hide the value of a setting or its source. */
export function readOvnTree(source: SourceText, root: YamlMapping): OvnTree {
  const places = new Map<string, Place>();
  const problems: Problem[] = [];
  const refuse = (offset: number, [message, hint]: readonly [string, string]): void => {
    problems.push({ kind: 'config-syntax', source, offset, message, hint });
  };
  const refuseProperties = (node: YamlNode): void => {
    if (node.anchorAt !== -1) refuse(node.anchorAt, refusals.anchor);
    if (node.tagAt !== -1) refuse(node.tagAt, refusals.tag);
  };
  const meaningOf = (node: YamlNode, keys: readonly string[]): unknown => {
    if (node.kind === 'scalar') return scalarValue(node) ?? undefined;
    if (node.kind === 'mapping') return groupOf(node, keys);
    if (node.kind === 'sequence') return [];
    refuse(node.at, refusals.anchor);
    return undefined;
  };
  const groupOf = (mapping: YamlMapping, above: readonly string[]): Record<string, unknown> => {
    // The object has no prototype, so that a key named __proto__ is an unknown key like any other.
    const group: Record<string, unknown> = Object.create(null);
    for (const { key, value: node } of mapping.entries) {
      if (problems.length >= maxProblems) break;
      refuseProperties(key);
      if (key.kind !== 'scalar') refuse(key.at, key.kind === 'alias' ? refusals.anchor : refusals.key);
      else if (key.plain && key.text === '<<') refuse(key.at, refusals.merge);
      else {
        const keys = [...above, key.text];
        const earlier = places.get(pointer(keys));
        if (earlier !== undefined) {
          refuse(key.at, setTwice(keys, lineOf(source, earlier.key.at).number));
          continue;
        }
        refuseProperties(node);
        const value = meaningOf(node, keys);
        group[key.text] = value;
        places.set(pointer(keys), { keys, key, node, value });
      }
    }
    return group;
  };
  const value = groupOf(root, []);
  return { value, places, problems };
}

function setTwice(keys: readonly string[], line: number): [message: string, hint: string] {
  const name = visibleText(keys.join('.')) || 'the empty key';
  return [`${name} is set twice: it is already on line ${line}`, 'keep one of the two lines'];
}
