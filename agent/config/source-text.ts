/** A file's text with the offset at which each of its lines starts. */
export interface SourceText {
  /** The path that messages name. */
  readonly path: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
}

/** A line of a text: its number, counted from 1, and where its text starts and ends, without the line break. */
export interface Line {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

const lineBreak = /\r\n?|\n/g;

/** Wraps a text and finds its lines; a line ends at LF, CR or CR LF, as in YAML. */
export function sourceText(path: string, text: string): SourceText {
  const lineStarts = [0];
  for (const {
    0: { length },
    index,
  } of text.matchAll(lineBreak))
    lineStarts.push(index + length);
  return { path, text, lineStarts };
}

/** The line an offset is on. */
export function lineOf({ text, lineStarts }: SourceText, offset: number): Line {
  const index = lineStarts.findLastIndex((start) => start <= offset);
  const start = lineStarts[index] ?? 0;
  const length = text.slice(start, lineStarts[index + 1]).search(/[\r\n]|$/);
  return { number: index + 1, start, end: start + length };
}

/** The column of an offset, counted from 1 in characters. */
export function columnOf(source: SourceText, offset: number): number {
  return Array.from(source.text.slice(lineOf(source, offset).start, offset)).length + 1;
}

/** `/etc/microshift/ovn.yaml:3`: what a value names as its source. */
export function sourceLine(source: SourceText, offset: number): string {
  return `${source.path}:${lineOf(source, offset).number}`;
}
