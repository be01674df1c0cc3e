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
import type { YamlDocument, YamlMapping, YamlNode, YamlScalar, YamlSequence } from './yaml-tree.ts';

/** Deeper than any configuration and shallow enough to walk by recursion. */
const maxDepth = 64;

/**
 * Parses a YAML text into a tree with places. Only events are used: nothing is expanded, however many aliases there are.
 * A text with more than maxEvents nodes is refused before a tree is made of it.
 */
export function parseYaml(source: SourceText, maxEvents = Number.POSITIVE_INFINITY): YamlDocument {
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
  const roots = new TreeBuilder(source.text).build(events);
  return { root: roots[0] ?? null, secondAt: roots.length > 1 ? secondDocumentAt(source.text, roots) : -1 };
}

/** A mapping or sequence that is still open; a mapping's items are keys and values in turn. */
interface OpenNode {
  readonly node: YamlMapping | YamlSequence | null;
  readonly items: YamlNode[];
}

class TreeBuilder {
  readonly #text: string;
  readonly #roots: YamlNode[] = [];
  #open: OpenNode[] = [];
  #anchors = new Map<string, YamlNode>();
  /** The end of what was read last: the place of a value that is not there. */
  #cursor = 0;

  constructor(text: string) {
    this.#text = text;
  }

  build(events: readonly Event[]): readonly YamlNode[] {
    for (const event of events) this.#take(event);
    return this.#roots;
  }

  #take(event: Event): void {
    if (event.type === EVENT_ID.DOCUMENT) {
      this.#anchors = new Map();
      this.#open = [{ node: null, items: [] }];
    } else if (event.type === EVENT_ID.POP) {
      this.#close();
    } else if (event.type === EVENT_ID.ALIAS) {
      const target = this.#anchors.get(this.#text.slice(event.anchorStart, event.anchorEnd)) ?? null;
      this.#add({ kind: 'alias', target, at: event.anchorStart - 1, anchorAt: -1, tagAt: -1 });
      this.#cursor = event.anchorEnd;
    } else {
      const node = event.type === EVENT_ID.SCALAR ? this.#scalar(event) : openNode(event);
      if (event.anchorStart !== -1) this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), node);
      this.#add(node);
      if (node.kind === 'mapping') this.#open.push({ node, items: [] });
      if (node.kind === 'sequence') this.#open.push({ node, items: node.items as YamlNode[] });
    }
  }

  #add(node: YamlNode): void {
    this.#open.at(-1)?.items.push(node);
  }

  #close(): void {
    const closed = this.#open.pop();
    if (closed === undefined) return;
    if (closed.node === null) this.#roots.push(...closed.items.slice(0, 1));
    if (closed.node?.kind === 'mapping') pushPairs(closed.node, closed.items);
  }

  #scalar(event: ScalarEvent): YamlScalar {
    const { valueStart, valueEnd, style } = event;
    const quoted = style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED;
    const inline = valueStart !== -1 && (quoted || style === SCALAR_STYLE.PLAIN);
    const at = inline ? valueStart - (quoted ? 1 : 0) : this.#cursor;
    if (valueEnd !== -1) this.#cursor = valueEnd + (quoted ? 1 : 0);
    const text = getScalarValue(this.#text, event);
    const raw = inline ? this.#text.slice(at, this.#cursor) : text;
    return { kind: 'scalar', text, raw, plain: style === SCALAR_STYLE.PLAIN, at, ...properties(event) };
  }
}

function openNode(event: Extract<Event, { start: number }>): YamlMapping | YamlSequence {
  const place = { at: event.start, ...properties(event) };
  return event.type === EVENT_ID.MAPPING
    ? { kind: 'mapping', entries: [], ...place }
    : { kind: 'sequence', items: [], ...place };
}

function properties(event: { anchorStart: number; tagStart: number }): { anchorAt: number; tagAt: number } {
  return { anchorAt: event.anchorStart === -1 ? -1 : event.anchorStart - 1, tagAt: event.tagStart };
}

function pushPairs(mapping: YamlMapping, items: readonly YamlNode[]): void {
  for (let index = 0; index + 1 < items.length; index += 2) {
    const key = items[index];
    const value = items[index + 1];
    if (key !== undefined && value !== undefined)
      (mapping.entries as { key: YamlNode; value: YamlNode }[]).push({ key, value });
  }
}

/** The `---` before the second document, or where its content starts. */
function secondDocumentAt(text: string, roots: readonly YamlNode[]): number {
  const marker = /^---(?=\s|$)/gm;
  marker.lastIndex = roots[0]?.at ?? 0;
  return marker.exec(text)?.index ?? roots[1]?.at ?? 0;
}
