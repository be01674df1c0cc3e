/**
 * Returns the width of a stream in columns: COLUMNS (environ(7)), else that of its terminal; null if it is unlimited,
 * because the stream is a file or a pipe.
 */
export function terminalWidth(stream: NodeJS.WriteStream): number | null {
  const columns = Number(process.env.COLUMNS);
  if (Number.isInteger(columns) && columns >= 20) return columns;
  return stream.isTTY && stream.columns > 0 ? stream.columns : null;
}
