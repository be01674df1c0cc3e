/** Text of a file with the offsets at which its lines start. */
export interface SourceText {
  /** Path of the file, for messages. */
  readonly path: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
}

/** A line of a text: its number, counted from 1, and the offsets of its start and end, without the line break. */
export interface Line {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

const lineBreak = /\r\n?|\n/g;

/** Returns a text with the offsets of its lines, which end with LF, CR or CR LF, as in YAML. */
export function sourceText(path: string, text: string): SourceText {
  const lineStarts = [0];
  for (const {
    0: { length },
    index,
  } of text.matchAll(lineBreak))
    lineStarts.push(index + length);
  return { path, text, lineStarts };
}

/** Returns the line that contains an offset. */
export function lineOf({ text, lineStarts }: SourceText, offset: number): Line {
  const index = lineStarts.findLastIndex((start) => start <= offset);
  const start = lineStarts[index] ?? 0;
  const length = text.slice(start, lineStarts[index + 1]).search(/[\r\n]|$/);
  return { number: index + 1, start, end: start + length };
}

/** Returns the column of an offset in characters, counted from 1. */
export function columnOf(source: SourceText, offset: number): number {
  return Array.from(source.text.slice(lineOf(source, offset).start, offset)).length + 1;
}

/** Returns the source of a value, such as `/etc/microshift/ovn.yaml:3`. */
export function sourceLine(source: SourceText, offset: number): string {
  return `${source.path}:${lineOf(source, offset).number}`;
}
