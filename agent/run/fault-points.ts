import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, renameSync, watch } from 'node:fs';
import type { Deadline } from '../deadline.ts';

/*
 * Points in a transaction at which a run can be held, for rehearsals on a real node (docs/lab/faults.md). The fault
 * itself comes from outside: a signal, an unplugged cable, a stopped daemon. A point is armed only by a file that only
 * root can have written; without the file, the points cost a transaction one system call.
 */

export const faultFile = '/run/microshift-net/fault.json';

/** Function that is called at every point with its name; resolves at once unless that point is armed. */
export type FaultPoints = (point: string) => Promise<void>;

/** Pattern of the names of all fault points. The number in a name is that of the step in the progress lines. */
const pointPattern = /^(before|after) (journal|checkpoint|step [1-9]\d?|journal-end|rollback)$/;
/** Size limit of the file that arms a point, in bytes. */
const fileLimitBytes = 1024;

const unarmed: FaultPoints = () => Promise.resolve();

/**
 * Reads from the file `path` which fault point is armed. A file that root does not own, that other users may use, or
 * that names no point is reported and ignored, because it must not stop a run. The file arms only one run: when a run
 * reaches the point, it renames the file to `PATH.PID`, and waits until the renamed file is removed.
 */
export function armedFault(path: string, deadline: Deadline, say: (message: string) => void): FaultPoints {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return unarmed;
  let armed: string;
  try {
    armed = readPoint(path);
  } catch (error) {
    say(`warning: ${path} is ignored: ${error instanceof Error ? error.message : String(error)}`);
    return unarmed;
  }
  return async (point) => {
    if (point === armed) await hold(path, point, deadline, say);
  };
}

function readPoint(path: string): string {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new Error('it is not a regular file');
    if (status.uid !== process.getuid?.()) throw new Error('it belongs to another user');
    if (status.size > fileLimitBytes) throw new Error(`it has more than ${fileLimitBytes} bytes`);
    if ((status.mode & 0o077) !== 0) throw new Error('others may use it, its mode must be 0600');
    const buffer = Buffer.alloc(fileLimitBytes);
    const length = readSync(descriptor, buffer, 0, fileLimitBytes, 0);
    const { point } = Object(JSON.parse(buffer.toString('utf8', 0, length))) as Record<string, unknown>;
    if (typeof point !== 'string' || !pointPattern.test(point)) throw new Error('"point" names none');
    return point;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Renames the file that arms the point to `PATH.PID`, and holds the run until the renamed file is removed or the run
 * has to stop. The caller decides how the run continues.
 */
async function hold(path: string, point: string, deadline: Deadline, say: (message: string) => void): Promise<void> {
  const held = `${path}.${process.pid}`;
  renameSync(path, held);
  const released = new AbortController();
  const look = (): void => {
    if (lstatSync(held, { throwIfNoEntry: false }) === undefined) released.abort();
  };
  const watcher = watch(held, look);
  try {
    say(`armed fault: held ${point} until ${held} is removed`);
    look();
    await Promise.race([aborted(released.signal), aborted(deadline.signal)]);
  } finally {
    watcher.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
