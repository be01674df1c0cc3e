import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';

/**
 * Reason why a file was not read: it is not a regular file, its path is a symbolic link to a file that not every user
 * may read, it is longer than the limit, or the system refused the read.
 */
export type FileFault = 'irregular' | 'private-link' | 'too-long' | 'unreadable';

/** Error about a file that was not read. The message lacks the path, which the caller's own error names. */
export class RegularFileError extends Error {
  readonly fault: FileFault;

  constructor(fault: FileFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'RegularFileError';
    this.fault = fault;
  }
}

export interface ReadOptions {
  /**
   * Refuses a symbolic link to a file that not every user may read: its content would end up in messages and journals.
   */
  readonly refusesPrivateLinks?: boolean;
}

const worldReadable = 0o004;
/** Smallest size of the first buffer. Files of /proc report a size of 0, although they have content. */
const firstBufferBytes = 4096;

/**
 * Reads a regular file as a whole. Returns null if the path does not exist; a dangling link counts as absent. A file
 * with more than `limitBytes` bytes is an error, and is never cut, even if the file reports a smaller size or grows
 * during the read. Devices, sockets, FIFOs and directories are refused without being opened. A FIFO that replaces the
 * file after this check does not block the read (open(2), O_NONBLOCK). Throws RegularFileError.
 */
export function readRegularFile(path: string, limitBytes: number, options: ReadOptions = {}): Buffer | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return null;
    refuseIrregular(stats);
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const opened = fstatSync(descriptor);
      refuseIrregular(opened);
      if (options.refusesPrivateLinks === true) refusePrivateLink(path, opened);
      return readWhole(descriptor, opened.size, limitBytes);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof RegularFileError) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new RegularFileError('unreadable', message, error);
  }
}

/** Returns the type of a file that is not a regular file, in words. */
export function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  return stats.isFIFO() ? 'a FIFO' : stats.isSocket() ? 'a socket' : 'a device';
}

function refuseIrregular(stats: Stats): void {
  if (stats.isFile()) return;
  throw new RegularFileError('irregular', `it is ${kindOf(stats)}, not a regular file`);
}

function refusePrivateLink(path: string, opened: Stats): void {
  if ((opened.mode & worldReadable) !== 0 || !lstatSync(path).isSymbolicLink()) return;
  throw new RegularFileError('private-link', 'it is a symbolic link to a file that not everybody may read');
}

/**
 * Reads to the end of the file. The buffer has room for one byte more than the limit, so that a file that is too long
 * is recognized.
 */
function readWhole(descriptor: number, sizeBytes: number, limitBytes: number): Buffer {
  const mostBytes = limitBytes + 1;
  let buffer = Buffer.alloc(Math.min(mostBytes, Math.max(sizeBytes + 1, firstBufferBytes)));
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, { offset: length });
    length += count;
    if (length > limitBytes)
      throw new RegularFileError(
        'too-long',
        `it has more than ${limitBytes} bytes, the most that such a file can have`,
      );
    if (count === 0) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(mostBytes, 2 * buffer.length));
  }
}
