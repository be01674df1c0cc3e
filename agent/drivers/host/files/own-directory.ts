import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';

/** Mode bits: other users may add and rename entries, and the sticky bit restricts them to their own (inode(7)). */
const worldWritable = 0o002;
const sticky = 0o1000;

/**
 * Returns the reason why a directory and its parent cannot be trusted with the agent's state; null if they can, or if
 * they do not exist. Through a link or a directory that other users may write, they could choose which files the agent
 * reads, removes or overwrites.
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
