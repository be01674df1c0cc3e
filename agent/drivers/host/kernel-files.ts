import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/*
 * Files of /proc, /sys and /etc that may go while they are looked for: what is not there, or cannot be read, is not a failure of looking.
 */

/** The text of a file without the white space at its end; null: there is none, or something else, such as a FIFO that would hang. */
export function fileText(path: string): string | null {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return fstatSync(descriptor).isFile() ? readFileSync(descriptor, 'utf8').trimEnd() : null;
  } catch {
    return null;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
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
