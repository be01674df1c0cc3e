import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';

/** Others may add and rename entries, and no sticky bit keeps them to their own (inode(7)). */
const worldWritable = 0o002;
const sticky = 0o1000;

/**
 * Why a directory and the one it is in cannot be trusted with our state; null: they can, or are not there. A link or a directory
 * others may write would let them choose which files we obey, remove or write over.
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
