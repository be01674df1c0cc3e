import {
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from 'js-yaml';
import { problemsError } from './problem.ts';
import type { SourceText } from './source-text.ts';
import { syntaxProblem } from './syntax-problem.ts';
import type { YamlEntry, YamlNode, YamlScalar } from './yaml-tree.ts';

/** Largest nesting depth of a file, above that of any configuration, and low enough for recursion. */
const maxDepth = 64;

/**
 * Parses a YAML text into a tree with positions. Only the parser's events are used, so aliases are never expanded. A
 * text with more than maxEvents events is refused before a tree is built. `root` is null if the text contains only
 * comments. `secondAt` is the offset at which a second document starts, or -1.
 */
export function parseYaml(source: SourceText, maxEvents = Number.POSITIVE_INFINITY) {
  let events: Event[];
  try {
    events = parseEvents(source.text, { maxDepth });
  } catch (error) {
    const known = error instanceof YAMLException;
    throw problemsError([
      syntaxProblem(source, known ? error.reason : String(error), known ? (error.mark?.position ?? 0) : 0),
    ]);
  }
  if (events.length > maxEvents) {
    const said = { message: 'the file holds thousands of values', hint: 'check that this is the right file' };
    throw problemsError([{ kind: 'config-invalid', source, offset: 0, ...said }]);
  }
  const roots = treesOf(source.text, events);
  return { root: roots[0] ?? null, secondAt: roots.length > 1 ? secondDocumentAt(source.text, roots) : -1 };
}

/** Returns the tree of each document that is not empty. */
function treesOf(text: string, events: readonly Event[]): YamlNode[] {
  const ahead = events.values();
  const anchors = new Map<string, YamlNode>();
  /** Position at which the previous YAML node ends; an empty value gets this position. */
  let cursor = 0;
  /** Returns the nodes of the document or collection that has just begun, up to its end. */
  const content = (): YamlNode[] => {
    const nodes: YamlNode[] = [];
    for (const event of ahead) {
      if (!('anchorStart' in event)) break;
      nodes.push(nodeOf(event));
    }
    return nodes;
  };
  const nodeOf = (event: Extract<Event, { anchorStart: number }>): YamlNode => {
    const anchor = text.slice(event.anchorStart, event.anchorEnd);
    if (event.type === EVENT_ID.ALIAS) {
      cursor = event.anchorEnd;
      return { kind: 'alias', target: anchors.get(anchor) ?? null, at: event.anchorStart - 1, anchorAt: -1, tagAt: -1 };
    }
    const properties = { anchorAt: event.anchorStart === -1 ? -1 : event.anchorStart - 1, tagAt: event.tagStart };
    if (event.type === EVENT_ID.SCALAR) {
      const scalar = { ...scalarOf(text, event, cursor), ...properties };
      if (event.valueEnd !== -1) cursor = event.valueEnd + quoteLength(event);
      if (event.anchorStart !== -1) anchors.set(anchor, scalar);
      return scalar;
    }
    const [items, entries]: [YamlNode[], YamlEntry[]] = [[], []];
    const isSequence = event.type === EVENT_ID.SEQUENCE;
    const place = { at: event.start, ...properties };
    const node: YamlNode = isSequence ? { kind: 'sequence', items, ...place } : { kind: 'mapping', entries, ...place };
    // The anchor is stored before the content is read, because the content may refer to it.
    if (event.anchorStart !== -1) anchors.set(anchor, node);
    for (const [index, value] of content().entries()) {
      items.push(value);
      const key = items[index - 1];
      if (index % 2 === 1 && key !== undefined) entries.push({ key, value });
    }
    return node;
  };
  const roots: YamlNode[] = [];
  for (const _document of ahead) {
    anchors.clear();
    roots.push(...content().slice(0, 1));
  }
  return roots;
}

function scalarOf(text: string, event: ScalarEvent, cursor: number): Omit<YamlScalar, 'anchorAt' | 'tagAt'> {
  const { valueStart, valueEnd, style } = event;
  const quote = quoteLength(event);
  const plain = style === SCALAR_STYLE.PLAIN;
  const value = getScalarValue(text, event);
  const inline = valueStart !== -1 && (quote === 1 || plain);
  if (!inline) return { kind: 'scalar', text: value, raw: value, plain, at: cursor };
  const at = valueStart - quote;
  return { kind: 'scalar', text: value, raw: text.slice(at, valueEnd + quote), plain, at };
}

function quoteLength({ style }: ScalarEvent): 0 | 1 {
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED ? 1 : 0;
}

/**
 * Returns the offset of the `---` before the second document; without a `---`, the offset of the second document's
 * content.
 */
function secondDocumentAt(text: string, roots: readonly YamlNode[]): number {
  const marker = /^---(?=\s|$)/gm;
  marker.lastIndex = roots[0]?.at ?? 0;
  return marker.exec(text)?.index ?? roots[1]?.at ?? 0;
}
