import { visibleText } from '../printable.ts';

/** A node of a YAML file with its position. Aliases are kept and never expanded. */
export type YamlNode = YamlScalar | YamlMapping | YamlSequence | YamlAlias;

interface YamlPlace {
  /** Offset of the node's first character in the text. */
  readonly at: number;
  /** Offset of the node's `&anchor`; -1 if it has none. */
  readonly anchorAt: number;
  /** Offset of the node's `!tag`; -1 if it has none. */
  readonly tagAt: number;
}

export interface YamlScalar extends YamlPlace {
  readonly kind: 'scalar';
  /** Value of the scalar, without quotes and with its escape sequences decoded. */
  readonly text: string;
  /** Value as it is in the file, including quotes; for a block scalar (`|` or `>`), the decoded value. */
  readonly raw: string;
  /** True for a plain scalar, without quotes, `|` or `>`, so that `1` may be a number and `true` a boolean. */
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
  /** Node for which the alias stands; null if no earlier anchor has the alias's name. */
  readonly target: YamlNode | null;
}

/** Describes a YAML node in a few words. */
export function shownNode(node: YamlNode): string {
  if (node.kind === 'scalar') return node.text === '' ? 'empty' : quoted(visibleText(node.raw, 40));
  return { mapping: 'a group of settings', sequence: 'a list', alias: 'an unknown alias' }[node.kind];
}

/** Returns a scalar in quotes, which set it apart from the other words of a message. */
function quoted(raw: string): string {
  return /^["']/.test(raw) ? raw : `"${raw}"`;
}
