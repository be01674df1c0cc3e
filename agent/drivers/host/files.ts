import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { AgentError, messageOf } from '../../errors.ts';
import { directoryFault } from './own-directory.ts';

/** Hint files and their like are one short line; anything longer is not one. */
const smallFileLimitBytes = 4096;
const worldReadable = 0o004;

/**
 * The text of a small regular file; null when there is none. A device, FIFO or directory in its place is refused, not read; so is a
 * link to a file that not everybody may read, whose content would end up in messages and journals.
 */
export function readSmallFile(path: string, limitBytes = smallFileLimitBytes): string | null {
  // Most of these files are absent on most nodes, and a failed opening takes ten times as long as a look.
  if (!existsSync(path)) return null;
  let descriptor: number;
  try {
    // O_NONBLOCK: opening a FIFO somebody put there must not hang.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw unreadable(path, error);
  }
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw unreadable(path, new Error('it is not a regular file'));
    if ((status.mode & worldReadable) === 0 && lstatSync(path).isSymbolicLink())
      throw unreadable(path, new Error('it is a symbolic link to a file that not everybody may read'));
    const buffer = Buffer.alloc(limitBytes);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, limitBytes, 0)).toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a file so that after a power cut it has either the old or the new content: temporary file in the same directory, fsync,
 * rename, fsync of the directory. Refuses to replace anything but a regular file, or to write where others could put another.
 */
export function writeFileAtomically(path: string, content: string, mode = 0o644): void {
  swapIn(path, content, mode, true);
}

/**
 * Replaces a file in memory (/run): readers see the old or the new content. Nothing is synchronised, because nothing of it outlives a
 * power cut. Refuses to replace anything but a regular file, as writing through a link would.
 */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o644): void {
  swapIn(path, content, mode, false);
}

function swapIn(path: string, content: string | Uint8Array, mode: number, isLasting: boolean): void {
  const temporary = `${path}.${process.pid}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    if (isLasting) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
      refuseFault(directoryFault(dirname(path)));
    }
    const present = lstatSync(path, { throwIfNoEntry: false });
    if (present === undefined) mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    else if (!present.isFile()) throw new Error('there is something in its place that is not a regular file');
    const descriptor = openSync(temporary, flags, mode);
    try {
      writeFileSync(descriptor, content);
      if (isLasting) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
    if (isLasting) syncDirectory(dirname(path));
  } catch (error) {
    removeFile(temporary);
    throw unwritable(path, error);
  }
}

/** Throws the reason a directory cannot be trusted, if there is one. */
export function refuseFault(fault: string | null): void {
  if (fault !== null) throw new Error(fault);
}

/** Removes a file; one that is not there is fine. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unwritable(path, error);
  }
}

/**
 * Removes what writers that were killed had not put in place yet. Only for a directory in which nobody else writes meanwhile; one that is not there
 * is fine.
 */
export function removeHalfWritten(directory: string): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) if (/\.\d+\.tmp$/.test(name)) removeFile(`${directory}/${name}`);
}

/** Removes a file, and what a writer that was killed had of it; a power cut does not bring it back. Not beside another writer, as above. */
export function removeForGood(path: string): void {
  removeFile(path);
  removeHalfWritten(dirname(path));
  syncDirectory(dirname(path));
}

/** Makes a new name in a directory survive a power cut. */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A file that cannot be written, in words. */
export function unwritable(path: string, cause: unknown): AgentError {
  return new AgentError('state-unwritable', `${path} cannot be written: ${messageOf(cause)}`, {
    hint: 'check that the file system is not full or read-only (df, mount) and run it again',
    cause,
    facts: { path },
  });
}

function unreadable(path: string, cause: unknown): AgentError {
  return new AgentError('config-unreadable', `${path} cannot be read: ${messageOf(cause)}`, {
    hint: 'put a plain text file there, or remove it',
    cause,
    facts: { path },
  });
}
