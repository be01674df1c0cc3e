import { stripVTControlCharacters } from 'node:util';
import type { Style } from './style.ts';

/** Row of a table. */
export interface TableRow {
  readonly cells: readonly string[];
  /** Longer text, which is wrapped below the cells; null if the row has no such text. */
  readonly below: string | null;
}

/** Returns a row with these cells and without a text below them. */
export const cellsOnly = (cells: readonly string[]): TableRow => ({ cells, below: null });

/** Text of a cell without a value. */
const emptyCell = '-';

/** Returns the lines of a table that has a header line. The arguments are those of the function tableBlocks. */
export function tableLines(...table: Parameters<typeof tableBlocks>): readonly string[] {
  return tableBlocks(...table).flat();
}

/**
 * Returns a table: the line of the headers, then the lines of each row. Columns are aligned. The last columns are left
 * out if the table would be wider than `width` (null: unlimited). Their values are then below the row, each behind its
 * header. A text below a row is wrapped.
 */
export function tableBlocks(
  headers: readonly string[],
  rows: readonly TableRow[],
  width: number | null,
  style: Style,
): readonly (readonly string[])[] {
  const limit = width ?? Number.POSITIVE_INFINITY;
  const widths = headers.map((header, index) =>
    Math.max(header.length, ...rows.map(({ cells }) => visibleLength(cells[index] ?? ''))),
  );
  const ends = widths.map((_, index) => widths.slice(0, index + 1).reduce((sum, one) => sum + one + 2, -2));
  const count = Math.max(1, ends.filter((end) => end <= limit).length);
  const line = (cells: readonly string[]): string =>
    cells
      .slice(0, count)
      .map((cell, index) => `${cell}${' '.repeat(Math.max(0, (widths[index] ?? 0) - visibleLength(cell)))}`)
      .join('  ')
      .trimEnd();
  const others = (cells: readonly string[]): readonly string[] =>
    headers.flatMap((header, index) => {
      const cell = cells[index] ?? emptyCell;
      return index < count || cell === emptyCell ? [] : `${header.toLowerCase()}: ${cell}`;
    });
  return [
    [style('bold', line(headers))],
    ...rows.map(({ cells, below }) => [
      line(cells),
      ...others(cells).flatMap((text) => hanging('    ', text, 6, width)),
      ...(below === null ? [] : wrapped(below, limit - 4).map((part) => `    ${style('dim', part)}`)),
    ]),
  ];
}

/**
 * Returns a text in lines of at most `width` characters, broken at spaces; sequences of a Style have no width. A longer
 * word has a line of its own, so that a path can be copied.
 */
export function wrapped(text: string, width: number): readonly string[] {
  return wrappedWords(text.split(' '), width);
}

/**
 * Returns words in lines: the first line has at most `firstWidth` columns, every other line at most `width`. A longer
 * word has a line of its own.
 */
export function wrappedWords(words: readonly string[], width: number, firstWidth = width): readonly string[] {
  const lines: string[] = [];
  let line: string | null = null;
  for (const word of words) {
    const limit = lines.length === 0 ? firstWidth : width;
    if (line !== null && visibleLength(line) + 1 + visibleLength(word) > limit) {
      lines.push(line);
      line = word;
    } else line = line === null ? word : `${line} ${word}`;
  }
  return [...lines, line ?? ''];
}

/**
 * Returns a text behind a lead, such as the name of a field, in lines of at most `width` columns. Every line after the
 * first is indented by `hang` columns. With a null width there is one line. If there is too little space beside the
 * lead, the text begins below it.
 */
export function hanging(lead: string, text: string, hang: number, width: number | null): readonly string[] {
  if (width === null || visibleLength(lead) + visibleLength(text) <= width) return [`${lead}${text}`];
  const words = text.split(' ');
  const longest = Math.max(...words.map(visibleLength));
  if (lead.trim() !== '' && width - hang < Math.max(longest, leastColumns))
    return [lead.trimEnd(), ...wrapped(text, width - 4).map((line) => `    ${line}`)];
  const lines = wrappedWords(words, width - hang, width - visibleLength(lead));
  return lines.map((line, index) => `${index === 0 ? lead : ' '.repeat(hang)}${line}`);
}

/**
 * Returns a text whose lines have at most `width` columns (null: unlimited). The continuation of a line is indented by
 * two more columns. A longer word has a line of its own.
 */
export function fitted(text: string, width: number | null): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const [indent = ''] = /^ */.exec(line) ?? [];
      const lines = hanging(indent, line.slice(indent.length), indent.length + 2, width);
      return lines.length === 1 ? lines : lines.map((one) => one.trimEnd());
    })
    .join('\n');
}

/** Smallest number of columns for a text beside a lead. */
const leastColumns = 20;

/** Returns the number of columns of a text on a terminal, without the sequences of a Style. */
export function visibleLength(text: string): number {
  return stripVTControlCharacters(text).length;
}
