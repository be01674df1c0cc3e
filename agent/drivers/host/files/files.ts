import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { AgentError, messageOf } from '../../../errors.ts';
import { readRegularFile } from '../../../regular-file.ts';
import { directoryFault } from './own-directory.ts';

/**
 * Size limit of a small file, in bytes, unless the caller sets another one. Hint files, drop-ins, scripts and records
 * have at most some kilobytes.
 */
const smallFileLimitBytes = 1024 * 1024;

/**
 * Returns the text of a small regular file; null if the path does not exist. A file of more than `limitBytes` bytes is
 * an error; its text is never truncated. A device, FIFO or directory at the path is refused without being read, and so
 * is a link to a file that not every user may read. Fails with `config-unreadable`.
 */
export function readSmallFile(path: string, limitBytes = smallFileLimitBytes): string | null {
  // Most small files that the agent reads are absent on most nodes, and a failed open(2) takes ten times as long as a
  // check for existence.
  if (!existsSync(path)) return null;
  try {
    return readRegularFile(path, limitBytes, { refusesPrivateLinks: true })?.toString('utf8') ?? null;
  } catch (error) {
    throw unreadable(path, error);
  }
}

/**
 * Writes a file so that it has either the old or the new content after a power cut: temporary file in the same
 * directory, fsync, rename, fsync of the directory. Refuses to replace anything but a regular file, and to write in a
 * directory where other users could replace the file. Fails with `state-unwritable`.
 */
export function writeFileAtomically(path: string, content: string, mode = 0o644): void {
  swapIn(path, content, mode, true);
}

/**
 * Replaces a file in memory (/run): readers see the old or the new content. Nothing is synchronized, because the file
 * does not survive a power cut. Refuses to replace anything but a regular file. Fails with `state-unwritable`.
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

/** Throws an error with the fault of a directory as its message; does nothing if `fault` is null. */
export function refuseFault(fault: string | null): void {
  if (fault !== null) throw new Error(fault);
}

/** Removes a file; a missing file is ignored. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unwritable(path, error);
  }
}

/**
 * Removes temporary files that killed processes have left in a directory. Another process that writes there at the same
 * time would lose its temporary file. A missing directory is ignored.
 */
export function removeHalfWritten(directory: string): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) if (/\.\d+\.tmp$/.test(name)) removeFile(`${directory}/${name}`);
}

/**
 * Removes a file and the temporary files of killed processes, durably: a power cut does not bring them back. Another
 * process must not write in the directory at the same time, because it would lose its temporary file.
 */
export function removeForGood(path: string): void {
  removeFile(path);
  removeHalfWritten(dirname(path));
  syncDirectory(dirname(path));
}

/** Makes the created and removed names in a directory survive a power cut (fsync(2)). */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Error for a file that cannot be written. */
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
