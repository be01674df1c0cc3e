import type { Style } from './style.ts';

/** Row of a table: its cells, and a longer text that is wrapped below them; null without one. */
export interface TableRow {
  readonly cells: readonly string[];
  readonly below: string | null;
}

/** Returns a row with these cells and without a text below them. */
export const cellsOnly = (cells: readonly string[]): TableRow => ({ cells, below: null });

/**
 * Returns a table with headers. Columns are aligned; the last ones are left out if the table would be wider than
 * `width`, which is null for an unlimited width. A text below a row is wrapped.
 */
export function tableLines(
  headers: readonly string[],
  rows: readonly TableRow[],
  width: number | null,
  style: Style,
): readonly string[] {
  const limit = width ?? Number.POSITIVE_INFINITY;
  const widths = headers.map((header, index) =>
    Math.max(header.length, ...rows.map(({ cells }) => cells[index]?.length ?? 0)),
  );
  const ends = widths.map((_, index) => widths.slice(0, index + 1).reduce((sum, one) => sum + one + 2, -2));
  const count = Math.max(1, ends.filter((end) => end <= limit).length);
  const line = (cells: readonly string[]): string =>
    cells
      .slice(0, count)
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  return [
    style('bold', line(headers)),
    ...rows.flatMap(({ cells, below }) => [
      line(cells),
      ...(below === null ? [] : wrapped(below, limit - 4).map((part) => `    ${style('dim', part)}`)),
    ]),
  ];
}

/** Returns a text in lines of at most `width` characters, broken at spaces. A longer word has a line of its own. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
