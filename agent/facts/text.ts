import { readdirSync, readFileSync } from 'node:fs';

/** A file of /proc, /sys or /etc; null when it cannot be read: what is not there is not a failure of looking. */
export function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch {
    return null;
  }
}

/** Names in a directory; none when it cannot be read. */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
