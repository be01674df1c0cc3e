/** A file's text with the offset at which each of its lines starts. */
export interface SourceText {
  /** The path that messages name. */
  readonly path: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
}

/** A place for people: all counted from 1, columns in characters. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Wraps a text and finds its lines; a line ends at LF, CR or CR LF, as in YAML. */
export function sourceText(path: string, text: string): SourceText {
  const lineStarts = [0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) lineStarts.push(at + 1);
  }
  return { path, text, lineStarts };
}

/** Line and column of an offset. */
export function positionOf(source: SourceText, offset: number): Position {
  const line = lineAt(source, offset);
  let column = 1;
  for (let at = lineStart(source, line); at < offset; at++) {
    // The second half of a surrogate pair is no character of its own.
    if ((source.text.charCodeAt(at) & 0xfc00) !== 0xdc00) column++;
  }
  return { line, column };
}

/** Where a line starts and where its text ends, without the line break. */
export function lineBounds(source: SourceText, line: number): { start: number; end: number } {
  const start = lineStart(source, line);
  let end = source.lineStarts[line] ?? source.text.length;
  while (end > start && (source.text[end - 1] === '\n' || source.text[end - 1] === '\r')) end--;
  return { start, end };
}

/** `/etc/microshift/ovn.yaml:3`: what a value names as its source. */
export function sourceLine(source: SourceText, offset: number): string {
  return `${source.path}:${lineAt(source, offset)}`;
}

/** The line an offset is on, counted from 1. */
export function lineAt(source: SourceText, offset: number): number {
  let low = 0;
  let high = source.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((source.lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

function lineStart(source: SourceText, line: number): number {
  return source.lineStarts[line - 1] ?? 0;
}
