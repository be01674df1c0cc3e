import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, rmSync, watch, writeFileSync } from 'node:fs';
import type { Deadline } from '../deadline.ts';

/*
 * Places in a transaction at which a fault can be made to happen, for rehearsals on a real node (docs/faults.md). Armed only by a file
 * that nobody but root can have written; without it a transaction pays one stat.
 */

export const faultFile = '/run/microshift-net/fault.json';

const actions = ['kill', 'terminate', 'exhaust-memory', 'hold'] as const;
export type FaultAction = (typeof actions)[number];

/** Called at every point by its name; resolves at once unless this is the one that is armed. */
export type FaultPoints = (point: string) => Promise<void>;

interface Fault {
  readonly point: string;
  readonly action: FaultAction;
}

/** Every point there is; N counts as the progress lines do. */
const pointPattern = /^(before|after) (journal|checkpoint|step [1-9]\d?|journal-end|rollback)$/;
/** A point and an action; what is longer is something else. */
const fileLimitBytes = 1024;
/** Small enough that the kernel's limit is met, not overshot, large enough to get there within a second. */
const chunkBytes = 8 * 1024 * 1024;

const unarmed: FaultPoints = () => Promise.resolve();

/** Reads what is armed. A file that is not root's own, or says something else, is reported and ignored: it must never stop a run. */
export function armedFault(path: string, deadline: Deadline, say: (message: string) => void): FaultPoints {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return unarmed;
  let fault: Fault;
  try {
    fault = readFault(path);
  } catch (error) {
    say(`warning: ${path} is ignored: ${error instanceof Error ? error.message : String(error)}`);
    return unarmed;
  }
  return async (point) => {
    if (point === fault.point) await strike(path, fault, deadline, say);
  };
}

function readFault(path: string): Fault {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new Error('it is not a regular file');
    if (status.uid !== process.getuid?.()) throw new Error('it belongs to another user');
    if (status.size > fileLimitBytes) throw new Error(`it has more than ${fileLimitBytes} bytes`);
    if ((status.mode & 0o077) !== 0) throw new Error('others may use it, its mode must be 0600');
    const buffer = Buffer.alloc(fileLimitBytes);
    const length = readSync(descriptor, buffer, 0, fileLimitBytes, 0);
    const { point, action } = Object(JSON.parse(buffer.toString('utf8', 0, length))) as Record<string, unknown>;
    if (typeof point !== 'string' || !pointPattern.test(point)) throw new Error('"point" names none');
    const known = actions.find((name) => name === action);
    if (known === undefined) throw new Error(`"action" must be one of ${actions.join(', ')}`);
    return { point, action: known };
  } finally {
    closeSync(descriptor);
  }
}

/** Every fault strikes once: its file goes first, so that the run that repairs is not struck again. */
async function strike(path: string, fault: Fault, deadline: Deadline, say: (message: string) => void): Promise<void> {
  if (fault.action === 'hold') return hold(path, fault.point, deadline, say);
  rmSync(path, { force: true });
  say(`armed fault: ${fault.action} ${fault.point}`);
  if (fault.action === 'kill') process.kill(process.pid, 'SIGKILL');
  if (fault.action === 'exhaust-memory') exhaustMemory();
  process.kill(process.pid, 'SIGTERM');
  // The signal is delivered by the event loop.
  return stopped(deadline);
}

/** Stays here, alive, until the file is removed or the run is told to stop; what happens then is up to the run. */
async function hold(path: string, point: string, deadline: Deadline, say: (message: string) => void): Promise<void> {
  const released = new AbortController();
  const look = (): void => {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) released.abort();
  };
  const watcher = watch(path, look);
  try {
    say(`armed fault: held ${point} until ${path} is removed`);
    look();
    await Promise.race([aborted(released.signal), stopped(deadline)]);
  } finally {
    watcher.close();
  }
}

/** Resolves when the run is told to stop, at its time limit at the latest. */
function stopped(deadline: Deadline): Promise<void> {
  return aborted(deadline.signal);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Takes memory until the kernel ends us, and sees to it that it is us whom it ends. */
function exhaustMemory(): never {
  writeFileSync('/proc/self/oom_score_adj', '1000');
  const taken: Buffer[] = [];
  for (;;) taken.push(Buffer.alloc(chunkBytes, 1));
}
