import { escapeText } from '../printable.ts';
import { maxProblems, type Problem } from './problem.ts';
import { scalarValue } from './scalar.ts';
import { lineAt, type SourceText } from './source-text.ts';
import type { YamlEntry, YamlMapping, YamlNode, YamlScalar } from './yaml-tree.ts';

/** A setting's key and value in the file. */
export interface Place {
  readonly keys: readonly string[];
  readonly key: YamlScalar;
  readonly value: YamlNode;
}

/** ovn.yaml as a plain value for the schema, with the place of every setting by JSON pointer. */
export interface OvnTree {
  readonly value: Readonly<Record<string, unknown>>;
  readonly places: ReadonlyMap<string, Place>;
  readonly problems: readonly Problem[];
}

/** JSON pointer (RFC 6901) of a path of keys, as the schema's faults name it. */
export function pointer(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Walks the tree of ovn.yaml and refuses the YAML that would hide what a setting is or where it comes from. */
export function readOvnTree(source: SourceText, root: YamlMapping): OvnTree {
  const reader = new OvnTreeReader(source);
  const value = reader.mapping(root, []);
  return { value, places: reader.places, problems: reader.problems };
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

class OvnTreeReader {
  readonly places = new Map<string, Place>();
  readonly problems: Problem[] = [];
  readonly #source: SourceText;

  constructor(source: SourceText) {
    this.#source = source;
  }

  mapping(mapping: YamlMapping, keys: readonly string[]): Record<string, unknown> {
    // No prototype: a key named __proto__ is a key like any other, and unknown.
    const result: Record<string, unknown> = Object.create(null);
    const seen = new Map<string, YamlScalar>();
    for (const entry of mapping.entries) {
      if (this.problems.length >= maxProblems) break;
      const key = this.#key(entry);
      if (key === null) continue;
      const earlier = seen.get(key.text);
      const path = [...keys, key.text];
      if (earlier === undefined) {
        seen.set(key.text, key);
        result[key.text] = this.#value({ key, value: entry.value, keys: path });
      } else {
        this.#duplicate(key, earlier, path);
      }
    }
    return result;
  }

  #key(entry: YamlEntry): YamlScalar | null {
    const { key } = entry;
    this.#refuseProperties(key);
    if (key.kind !== 'scalar') {
      this.#refuse(key.at, key.kind === 'alias' ? refusals.anchor : refusals.key);
      return null;
    }
    if (key.plain && key.text === '<<') {
      this.#refuse(key.at, refusals.merge);
      return null;
    }
    return key;
  }

  #value(place: Place): unknown {
    const { value } = place;
    this.#refuseProperties(value);
    this.places.set(pointer(place.keys), place);
    // The schema skips what is undefined: a key without a value is unset, as it is for MicroShift itself.
    if (value.kind === 'scalar') return scalarValue(value) ?? undefined;
    if (value.kind === 'mapping') return this.mapping(value, place.keys);
    if (value.kind === 'sequence') return [];
    this.#refuse(value.at, refusals.anchor);
    return undefined;
  }

  #refuseProperties(node: YamlNode): void {
    if (node.anchorAt !== -1) this.#refuse(node.anchorAt, refusals.anchor);
    if (node.tagAt !== -1) this.#refuse(node.tagAt, refusals.tag);
  }

  #duplicate(key: YamlScalar, earlier: YamlScalar, keys: readonly string[]): void {
    const line = lineAt(this.#source, earlier.at);
    this.#refuse(key.at, [
      `${escapeText(keys.join('.')) || 'the empty key'} is set twice: it is already on line ${line}`,
      'keep one of the two lines',
    ]);
  }

  #refuse(offset: number, [message, hint]: readonly [string, string]): void {
    this.problems.push({ kind: 'config-syntax', source: this.#source, offset, message, hint });
  }
}
