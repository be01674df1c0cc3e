// Replaces places in compiled tests by places in their sources, in tap's output. Node's --enable-source-maps would do it
// too, but reads the source map of every module at its start: a third of the CPU time of a short test.
import fs from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';

const place = /\b(build\/(?:agent|test)\/\S+?\.js):(\d+):(\d+)/g;

/** Returns the lines of a failure with places in the source files instead of places in the compiled files. */
export function inSource(lines) {
  const shown = lines.map((line) =>
    line.replace(place, (whole, file, row, column) => {
      const found = placeOf(file, row, column);
      return found === undefined ? whole : `${found.file}:${found.row}:${found.column}`;
    }),
  );
  // tap's `at` has a line each for file, row and column.
  shown.forEach((line, index) => {
    const [, file] = /^ *fileName: (build\/\S+\.js)$/.exec(line) ?? [];
    const [row, column] = ['lineNumber', 'columnNumber'].map((key, offset) =>
      Number(new RegExp(`^ *${key}: (\\d+)$`).exec(shown[index + 1 + offset] ?? '')?.[1]),
    );
    if (file === undefined || !row || !column) return;
    const found = placeOf(file, row, column);
    if (found === undefined) return;
    shown[index] = line.replace(file, found.file);
    shown[index + 1] = shown[index + 1].replace(/\d+$/, found.row);
    shown[index + 2] = shown[index + 2].replace(/\d+$/, found.column);
  });
  return shown;
}

/** Returns the place in the source for a place in a compiled file; undefined if the source map lacks the place. */
function placeOf(file, row, column) {
  try {
    const map = new SourceMap(JSON.parse(fs.readFileSync(`${file}.map`, 'utf8')));
    const { originalSource, originalLine, originalColumn } = map.findEntry(Number(row) - 1, Number(column) - 1);
    return { file: path.join(path.dirname(file), originalSource), row: originalLine + 1, column: originalColumn + 1 };
  } catch {
    return undefined;
  }
}
