import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/*
 * Files of /proc, /sys and /etc that may go while they are looked for: what is not there, or cannot be read, is not a failure of looking.
 */

/** The text of a file without the white space at its end; null: there is none. */
export function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch {
    return null;
  }
}

/** Names in a directory; none where there is no directory. */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Last part of what a symbolic link points to; null: it is none. */
export function targetName(path: string): string | null {
  try {
    return basename(readlinkSync(path));
  } catch {
    return null;
  }
}
