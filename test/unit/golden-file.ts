import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Test } from 'tap';

/**
 * Compares a text with a file; null stands for an absent file. UPDATE_CASES=1 writes the text into the file; a person
 * reviews the diff before the commit.
 */
export function equalsGolden(t: Test, path: string, text: string | null): void {
  if (process.env.UPDATE_CASES === '1') {
    if (text === null) rmSync(path, { force: true });
    else writeFileSync(path, text);
  }
  t.equal(text, existsSync(path) ? readFileSync(path, 'utf8') : null, path);
}
