import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { monotonicMs } from '../deadline.ts';
import { refuseFault, unwritable } from '../drivers/host/files/files.ts';
import { namesIn } from '../drivers/host/files/kernel-files.ts';
import { directoryFault } from '../drivers/host/files/own-directory.ts';
import { processStart } from '../drivers/host/process/process-start.ts';
import { AgentError } from '../errors.ts';
import { endingWith } from '../failures.ts';
import { onTerminal, reportedWait, type Say } from './reported-wait.ts';
import { stoppable } from './stoppable.ts';

/*
 * Lock for one run at a time. Each contender creates a file whose name contains its process and its command, and then
 * lists the directory. A contender holds the lock if no other live process has a file. The contender that lists second
 * sees the first, so two can never hold the lock. If two see each other, the older one waits for the younger one to
 * withdraw. A contender that arrives later sees their files, and waits or withdraws itself, so the two do not wait for
 * it. Pid and start time in the file name show whether the holder is alive, so that nothing has to clean up after
 * SIGKILL.
 */

export const lockDirectory = '/run/microshift-net/lock';
/**
 * Time that the older of two contenders for the lock waits for the younger one to withdraw, which takes milliseconds.
 * At the limit the older one withdraws as well.
 */
const withdrawalMs = 2_000;

export interface Lock {
  release(): void;
}

/**
 * Kind of a run. Other commands wait for the end of a brief run, and are refused during a long run. Brief runs are
 * repairs, a recovery outside of the boot, the changes that a daemon makes, and `overlay pki issue` and `overlay pki
 * renew`, which may run on the central node for several nodes at the same time. All other runs are long, also those at
 * boot.
 */
type RunKind = 'brief' | 'long';

interface Contender {
  /**
   * Name of the file by which a process contends for the lock: PID.STARTTIME.KIND.COMMAND. The file is empty, so that
   * no reader can find it half written.
   */
  readonly name: string;
  readonly pid: number;
  readonly startTime: number;
  readonly isBrief: boolean;
  readonly command: string;
}

/** Sentence about the node in the error message of a run that a signal has stopped during its wait for the lock. */
const unchanged = 'this run has not changed the node';

/** Longest wait for the end of a brief run. The run takes seconds, or longer if a service has to start again first. */
const briefRunLimitMs = 60_000;

/**
 * Takes the lock. If a brief run holds it, waits for the end of that run, and reports a wait of more than 2 s with
 * `say`. Fails with `busy`, which names the process that holds the lock, and with `interrupted` if a signal ends the
 * wait.
 */
export async function takeLock(
  directory: string,
  command: string,
  kind: RunKind,
  say: Say = () => undefined,
): Promise<Lock> {
  const giveUpAt = monotonicMs() + briefRunLimitMs;
  for (;;) {
    const taken = await tryLock(directory, command, kind);
    if (!('holder' in taken)) return taken;
    const { holder, error } = taken;
    if (!holder.isBrief) throw error;
    const limitMs = giveUpAt - monotonicMs();
    const waiting = `waiting up to ${Math.ceil(limitMs / 1000)} s for the end of another run: ${spoken(holder)}`;
    const wait = (stop: AbortSignal) => reportedWait(waiting, say, () => ended(directory, holder, limitMs, stop));
    if (!(await stoppable(say, wait, { state: unchanged }))) throw error;
  }
}

/** Runs work under the lock. Fails with `busy`. */
export function withLock<T>(command: string, work: () => Promise<T>, say?: Say): Promise<T> {
  return holding(command, 'long', work, say);
}

/** Runs work under the lock as a brief run, so that other commands wait for its end. Fails with `busy`. */
export function withBriefLock<T>(command: string, work: () => Promise<T>, say?: Say): Promise<T> {
  return holding(command, 'brief', work, say);
}

async function holding<T>(command: string, kind: RunKind, work: () => Promise<T>, say?: Say): Promise<T> {
  const lock = await takeLock(lockDirectory, command, kind, onTerminal(say));
  return endingWith(work, () => lock.release());
}

/**
 * Waits for the lock without a limit, and then runs work under it. As during every brief run, other commands wait for
 * the end of the work and are not refused.
 */
export async function withLockWhenFree<T>(command: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const [holder] = existsSync(lockDirectory) ? liveContenders(lockDirectory) : [];
    const taken = holder === undefined ? await tryLock(lockDirectory, command, 'brief') : { holder };
    if (!('holder' in taken)) return endingWith(work, () => taken.release());
    await ended(lockDirectory, taken.holder, briefRunLimitMs);
  }
}

interface Refused {
  readonly holder: Contender;
  readonly error: AgentError;
}

async function tryLock(directory: string, command: string, kind: RunKind): Promise<Lock | Refused> {
  const own = contender(`${process.pid}.${processStart(process.pid) ?? 0}.${kind}.${encodeURIComponent(command)}`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    refuseFault(directoryFault(directory));
    rmSync(`${directory}/${own.name}`, { force: true });
    writeFileSync(`${directory}/${own.name}`, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw unwritable(directory, error);
  }
  const release = (): void => rmSync(`${directory}/${own.name}`, { force: true });
  const others = liveOthers(directory, own);
  const older = others.find(
    (other) => other.startTime < own.startTime || (other.startTime === own.startTime && other.pid < own.pid),
  );
  if (older !== undefined || !(await haveWithdrawn(directory, own, others))) {
    const [holder] = liveOthers(directory, own);
    release();
    // If all other contenders for the lock have ended meanwhile, another attempt follows.
    if (holder === undefined) return tryLock(directory, command, kind);
    const error = new AgentError('busy', `another run is in progress: ${spoken(holder)}`, {
      hint: 'wait until that process has ended (a run of the unit: journalctl -f -u microshift-ovs-init), then run the command again',
      facts: { pid: holder.pid },
    });
    return { holder, error };
  }
  return { release };
}

/**
 * Waits until a holder of the lock has removed its file or its process has ended. Resolves with false if it still holds
 * the lock at the time limit. Throws the reason of `stop` when `stop` is aborted.
 */
function ended(
  directory: string,
  { name, pid, startTime: started }: Contender,
  limitMs: number,
  stop?: AbortSignal,
): Promise<boolean> {
  const hasEnded = (): boolean => !namesIn(directory).includes(name) || processStart(pid) !== started;
  return holdsWithin(directory, limitMs, hasEnded, stop);
}

function haveWithdrawn(directory: string, own: Contender, others: readonly Contender[]): Promise<boolean> {
  const names = others.map(({ name }) => name);
  return holdsWithin(directory, withdrawalMs, () =>
    liveOthers(directory, own).every(({ name }) => !names.includes(name)),
  );
}

/**
 * Waits until the condition holds. Checks it after every change of the lock's directory, and again at the time limit,
 * because the crash of a holder does not change the directory. Resolves with false if the condition does not hold at
 * the time limit. Throws the reason of `stop` when `stop` is aborted.
 */
function holdsWithin(
  directory: string,
  limitMs: number,
  condition: () => boolean,
  stop?: AbortSignal,
): Promise<boolean> {
  if (condition()) return Promise.resolve(true);
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      watcher.close();
      stop?.removeEventListener('abort', giveUp);
    };
    const finish = (holds: boolean): void => {
      end();
      resolve(holds);
    };
    const giveUp = (): void => {
      end();
      reject(stop?.reason);
    };
    const askAgain = (): void => {
      if (condition()) finish(true);
    };
    const watcher = watch(directory, askAgain);
    const timer = setTimeout(() => finish(condition()), Math.max(0, limitMs));
    stop?.addEventListener('abort', giveUp);
    askAgain();
  });
}

function liveOthers(directory: string, own: Contender): Contender[] {
  return liveContenders(directory).filter(({ pid, startTime }) => pid !== own.pid || startTime !== own.startTime);
}

function liveContenders(directory: string): Contender[] {
  const live: Contender[] = [];
  for (const name of readdirSync(directory)) {
    const other = contender(name);
    if (!Number.isInteger(other.pid)) continue;
    if (processStart(other.pid) === other.startTime && isOurs(`${directory}/${name}`)) live.push(other);
    else clearAway(`${directory}/${name}`);
  }
  return live;
}

/**
 * Returns true if the agent's own user owns the file of a contender for the lock. A file of another user could name any
 * process, and does not count.
 */
function isOurs(path: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status?.isFile() === true && status.uid === process.geteuid?.();
}

function clearAway(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A directory in place of a contender's file cannot be removed. It may stay, because only files count as contenders
    // for the lock.
  }
}

function contender(name: string): Contender {
  const [pid = '', startTime = '', kind = '', ...words] = name.split('.');
  const command = decoded(words.join('.'));
  return { name, pid: Number(pid), startTime: Number(startTime), isBrief: kind === 'brief', command };
}

/**
 * Decodes the command in a file name. If the text is not encoded correctly, returns it as it is, so that a file of
 * another program does not make the lock fail.
 */
function decoded(command: string): string {
  try {
    return decodeURIComponent(command);
  } catch {
    return command;
  }
}

/** Returns a text that names the holder of the lock; null if the lock is free. Never takes the lock. */
export function lockHolder(directory: string): string | null {
  const holder = namesIn(directory)
    .map(contender)
    .find(({ pid, startTime }) => processStart(pid) === startTime);
  return holder === undefined ? null : spoken(holder);
}

function spoken({ command, pid }: Contender): string {
  return `${command === '' ? '' : `\`microshift-net ${command}\`, `}process ${pid}`;
}
