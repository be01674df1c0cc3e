import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Mode bits of a directory. With the bit `worldWritable`, other users can add and rename entries; the sticky bit limits
 * them to their own entries (inode(7)).
 */
const worldWritable = 0o002;
const sticky = 0o1000;

/**
 * Returns the reason why a directory or its parent cannot be trusted with the agent's state; null if both can be
 * trusted. A directory that does not exist counts as trusted. Other users who can write to the directory or its parent,
 * or who have replaced one of them by a link, could choose which files the agent reads, removes or overwrites.
 */
export function directoryFault(path: string): string | null {
  for (const one of [dirname(path), path]) {
    const status = lstatSync(one, { throwIfNoEntry: false });
    if (status === undefined) continue;
    if (!status.isDirectory()) return `${one} is ${status.isSymbolicLink() ? 'a symbolic link' : 'no directory'}`;
    if (status.uid !== 0 && status.uid !== process.geteuid?.()) return `${one} belongs to another user (${status.uid})`;
    if ((status.mode & worldWritable) !== 0 && (status.mode & sticky) === 0)
      return `${one} can be written by everybody`;
  }
  return null;
}
