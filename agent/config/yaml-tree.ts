import { visibleText } from '../printable.ts';

/** A node of a YAML file with its place; aliases are kept as they are, never expanded. */
export type YamlNode = YamlScalar | YamlMapping | YamlSequence | YamlAlias;

interface YamlPlace {
  /** Offset of the node's first character in the text. */
  readonly at: number;
  /** Offset of its `&anchor`, -1 without one. */
  readonly anchorAt: number;
  /** Offset of its `!tag`, -1 without one. */
  readonly tagAt: number;
}

export interface YamlScalar extends YamlPlace {
  readonly kind: 'scalar';
  /** The decoded value. */
  readonly text: string;
  /** The value as it stands in the file, quotes included. */
  readonly raw: string;
  /** True: without quotes, so that `1` may be a number and `true` a boolean. */
  readonly plain: boolean;
}

export interface YamlEntry {
  readonly key: YamlNode;
  readonly value: YamlNode;
}

export interface YamlMapping extends YamlPlace {
  readonly kind: 'mapping';
  readonly entries: readonly YamlEntry[];
}

export interface YamlSequence extends YamlPlace {
  readonly kind: 'sequence';
  readonly items: readonly YamlNode[];
}

interface YamlAlias extends YamlPlace {
  readonly kind: 'alias';
  /** The node it stands for; null when no anchor before it has its name. */
  readonly target: YamlNode | null;
}

/** What stands in the place of a value, in a few words. */
export function shownNode(node: YamlNode): string {
  if (node.kind === 'scalar') return node.text === '' ? 'empty' : visibleText(node.raw, 40);
  return { mapping: 'a group of settings', sequence: 'a list', alias: 'an unknown alias' }[node.kind];
}
