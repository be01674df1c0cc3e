import { fitted } from '../view/table.ts';

/** Returns prose in lines that fit the width of a stream. */
export function fittedTo(stream: NodeJS.WriteStream, text: string): string {
  return fitted(text, terminalWidth(stream));
}

/**
 * Returns the width of a stream in columns: COLUMNS (environ(7)) if it is at least 20, else the width of the stream's
 * terminal. Null if the width is unlimited, because the stream is a file or a pipe.
 */
export function terminalWidth(stream: NodeJS.WriteStream): number | null {
  const columns = Number(process.env.COLUMNS);
  if (Number.isInteger(columns) && columns >= 20) return columns;
  return stream.isTTY && stream.columns > 0 ? stream.columns : null;
}
