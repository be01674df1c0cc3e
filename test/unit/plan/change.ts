// Small changes to an observation, so that a case contains only its differences.

type Node = unknown[] | Record<string, unknown>;

export interface Changes {
  readonly words: Readonly<Record<string, string>>;
  readonly change: Readonly<Record<string, unknown>>;
}

/**
 * Returns a copy of the value after the changes, in order. A key is a path: names between slashes, `[key=value]` for an
 * item of a list (`[key=a key2=b]` for an item with both), `[+]` for a new item at the end, `[0]` for a position. A
 * path that begins with `-` is removed.
 */
export function changed<T>(value: T, changes: Readonly<Record<string, unknown>>): T {
  const copy = structuredClone(value);
  for (const [way, wanted] of Object.entries(changes)) change(copy as Node, way, structuredClone(wanted));
  return copy;
}

/**
 * Reads the changes of a case: `path = value` in JSON, which continues in lines that begin with a space or a closing
 * bracket. A line `# …` describes the case. Any other line consists of words: `from NAME` names the other case; `name`
 * and `name=value` are settings of this case.
 */
export function readChanges(text: string): Changes {
  const change: Record<string, unknown> = {};
  let words: Record<string, string> = {};
  for (const line of text.trimEnd().split(/\n(?![ }\]])/)) {
    if (line === '' || line.startsWith('# ')) continue;
    const [, way, json = ''] = /^(.+?) = (.*)$/s.exec(line) ?? [];
    if (way === undefined) words = { ...words, ...wordsOf(line) };
    else change[way] = JSON.parse(json);
  }
  return { words, change };
}

function wordsOf(line: string): Readonly<Record<string, string>> {
  const entries = line
    .replace(/^from /, 'from=')
    .split(' ')
    .map((word) => [word.replace(/=.*/, ''), /=(.*)/.exec(word)?.[1] ?? 'true']);
  return Object.fromEntries(entries) as Record<string, string>;
}

function change(root: Node, way: string, wanted: unknown): void {
  const parts = partsOf(way.replace(/^-/, ''));
  const last = parts.pop() ?? '';
  let node = root;
  for (const part of parts) {
    const next = (node as Record<string | number, unknown>)[keyOf(node, part, way)];
    if (typeof next !== 'object' || next === null) throw new TypeError(`${way}: there is nothing at ${part}`);
    node = next as Node;
  }
  const key = keyOf(node, last, way);
  if (!way.startsWith('-')) (node as Record<string | number, unknown>)[key] = wanted;
  else if (Array.isArray(node)) node.splice(Number(key), 1);
  else delete node[key];
}

/** Divides a path at its slashes; slashes inside brackets belong to a value (`[destination=0.0.0.0/0]`). */
function partsOf(way: string): string[] {
  return way.match(/\[[^\]]*\]|[^/[]+/g) ?? [];
}

function keyOf(node: Node, part: string, way: string): string | number {
  return Array.isArray(node) ? positionOf(node, part, way) : part;
}

function positionOf(list: readonly unknown[], selector: string, way: string): number {
  const inside = selector.slice(1, -1);
  if (inside === '+') return list.length;
  if (/^\d+$/.test(inside)) return Number(inside);
  const conditions = inside.split(' ').map((condition) => condition.split('='));
  const position = list.findIndex((item) =>
    conditions.every(([key = '', wanted = '']) => String((item as Record<string, unknown>)[key]) === wanted),
  );
  if (position < 0) throw new TypeError(`${way}: no item with ${inside}`);
  return position;
}

/** Returns compact JSON: a value that fits on a line is on one line, and a list of plain values fills its lines. */
export function readableJson(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value, null, 1)?.replaceAll(/\n\s*/g, ' ') ?? 'null';
  if (typeof value !== 'object' || value === null || flat.length + indent.length <= 138) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return filled(value, indent);
  const items = Array.isArray(value)
    ? value.map((item) => `${inner}${readableJson(item, inner)}`)
    : Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${readableJson(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${items.join(',\n')}\n${indent}${close}`;
}

/** Writes a list of plain values that does not fit on one line. */
function filled(values: readonly unknown[], indent: string): string {
  const lines: string[] = [];
  for (const item of values.map((value) => JSON.stringify(value))) {
    const last = lines.at(-1);
    if (last === undefined || `${indent}  ${last}, ${item},`.length > 138) lines.push(item);
    else lines[lines.length - 1] = `${last}, ${item}`;
  }
  return `[\n${lines.map((line) => `${indent}  ${line}`).join(',\n')}\n${indent}]`;
}
