import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/*
 * Reads of /proc, /sys and /etc, whose files may disappear at any time. A file that is missing or unreadable is not an
 * error.
 */

/**
 * Returns the text of a file without trailing white space; null if it is missing, unreadable, or not a regular file,
 * such as a FIFO that would block.
 */
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

/** Returns the names in a directory; an empty list if the directory cannot be read. */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/**
 * Returns the last part of a symbolic link's target; null if the path is not a symbolic link, or if the link cannot be
 * read.
 */
export function targetName(path: string): string | null {
  try {
    return basename(readlinkSync(path));
  } catch {
    return null;
  }
}
