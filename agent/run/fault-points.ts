import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, renameSync, watch } from 'node:fs';
import type { Deadline } from '../deadline.ts';

/*
 * Points in a transaction at which a run can be made to stand still, for rehearsals on a real node (docs/lab/faults.md). The fault itself comes from
 * outside: a signal, a cable that is pulled, a daemon that is stopped. A point is armed only by a file that no user but root can have written;
 * without that file a transaction costs one stat.
 */

export const faultFile = '/run/microshift-net/fault.json';

/** Called at every point with its name; resolves at once unless this is the armed one. */
export type FaultPoints = (point: string) => Promise<void>;

/** Every point; N counts as the progress lines do. */
const pointPattern = /^(before|after) (journal|checkpoint|step [1-9]\d?|journal-end|rollback)$/;
/** A longer file does not name a point. */
const fileLimitBytes = 1024;

const unarmed: FaultPoints = () => Promise.resolve();

/**
 * Reads which point is armed. A file that is not root's own, or does not name a point, is reported and ignored: it must never stop a run.
 * Arms one run: the run that comes to the point renames the file to `PATH.PID` and stands still until that file is removed.
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

/** Stands still until the renamed file is removed or the run has to stop; what happens then is up to the run. */
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
