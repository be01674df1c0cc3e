import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { monotonicMs } from '../deadline.ts';
import { refuseFault, unwritable } from '../drivers/host/files.ts';
import { namesIn } from '../drivers/host/kernel-files.ts';
import { directoryFault } from '../drivers/host/own-directory.ts';
import { processStart } from '../drivers/host/process-start.ts';
import { AgentError } from '../errors.ts';
import { endingWith } from '../failures.ts';

/*
 * One run at a time. Each contender puts down a file whose name tells its process and its command, then looks around: it holds the lock when no other
 * live process has one. Whoever looks second sees the first, so two can never hold it; of two that see each other, the older waits
 * for the younger to withdraw. A dead holder's file is told by its pid and start time, so nothing has to clean up after SIGKILL.
 */

export const lockDirectory = '/run/microshift-net/lock';
/** A contender withdraws within milliseconds of seeing an older one. */
const withdrawalMs = 2_000;

export interface Lock {
  release(): void;
}

interface Contender {
  /** Of its file: PID.STARTTIME.COMMAND. Nothing is written into the file, so nobody sees one that is half made. */
  readonly name: string;
  readonly pid: number;
  readonly startTime: number;
  readonly command: string;
}

/** Runs that come by themselves, and those of a central node that several nodes may ask for at once; whoever meets one waits for its end. */
const briefRuns: readonly string[] = [
  'recover',
  'apply --repair',
  'overlay run',
  'ovn-k8s-gateway-helper',
  'overlay pki issue',
  'overlay pki renew',
];
/** They take seconds; this is what they may need where a service has to come back first. */
const briefRunLimitMs = 60_000;

/** Takes the lock or fails with `busy`, naming the process that has it. A brief run is waited for. */
export async function takeLock(directory: string, command: string): Promise<Lock> {
  const giveUpAt = monotonicMs() + briefRunLimitMs;
  for (;;) {
    const taken = await tryLock(directory, command);
    if (!('holder' in taken)) return taken;
    const { holder, error } = taken;
    if (!briefRuns.includes(holder.command) || !(await ended(directory, holder, giveUpAt - monotonicMs()))) throw error;
  }
}

/** Does something while nobody else changes the node. */
export async function withLock<T>(command: string, work: () => Promise<T>): Promise<T> {
  const lock = await takeLock(lockDirectory, command);
  return endingWith(work, () => lock.release());
}

/** The same for who can wait: as soon as nobody else has the lock, however long that takes. */
export async function withLockWhenFree<T>(command: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const [holder] = existsSync(lockDirectory) ? liveContenders(lockDirectory) : [];
    const taken = holder === undefined ? await tryLock(lockDirectory, command) : { holder };
    if (!('holder' in taken)) return endingWith(work, () => taken.release());
    await ended(lockDirectory, taken.holder, briefRunLimitMs);
  }
}

interface Refused {
  readonly holder: Contender;
  readonly error: AgentError;
}

async function tryLock(directory: string, command: string): Promise<Lock | Refused> {
  const own = contender(`${process.pid}.${processStart(process.pid) ?? 0}.${encodeURIComponent(command)}`);
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
  if (older !== undefined || !(await allWithdraw(directory, own))) {
    const [holder] = liveOthers(directory, own);
    release();
    // It has ended meanwhile.
    if (holder === undefined) return tryLock(directory, command);
    const error = new AgentError('busy', `another run is in progress: ${spoken(holder)}`, {
      hint: 'wait for it to end (journalctl -f -u microshift-ovs-init), then run it again',
      facts: { pid: holder.pid },
    });
    return { holder, error };
  }
  return { release };
}

/** Waits until a holder has removed its file or died; false: it still has the lock at the limit. */
function ended(directory: string, { name, pid, startTime: started }: Contender, limitMs: number): Promise<boolean> {
  return holdsWithin(directory, limitMs, () => !namesIn(directory).includes(name) || processStart(pid) !== started);
}

function allWithdraw(directory: string, own: Contender): Promise<boolean> {
  return holdsWithin(directory, withdrawalMs, () => liveOthers(directory, own).length === 0);
}

/** Asks again after every change of the directory, and once more at the limit: a holder that died changes nothing there. */
function holdsWithin(directory: string, limitMs: number, condition: () => boolean): Promise<boolean> {
  if (condition()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const finish = (holds: boolean): void => {
      clearTimeout(timer);
      watcher.close();
      resolve(holds);
    };
    const askAgain = (): void => {
      if (condition()) finish(true);
    };
    const watcher = watch(directory, askAgain);
    const timer = setTimeout(() => finish(condition()), Math.max(0, limitMs));
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

/** A file of ours: what somebody else put there names whom he likes. */
function isOurs(path: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status?.isFile() === true && status.uid === process.geteuid?.();
}

function clearAway(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A directory: nobody's lock, and in nobody's way.
  }
}

function contender(name: string): Contender {
  const [pid = '', startTime = '', ...command] = name.split('.');
  return { name, pid: Number(pid), startTime: Number(startTime), command: decoded(command.join('.')) };
}

/** What is no command of ours stays as it is: a foreign file must not break the lock. */
function decoded(command: string): string {
  try {
    return decodeURIComponent(command);
  } catch {
    return command;
  }
}

/** Who holds the lock, for people; null: nobody. Only looks. */
export function lockHolder(directory: string): string | null {
  const holder = namesIn(directory)
    .map(contender)
    .find(({ pid, startTime }) => processStart(pid) === startTime);
  return holder === undefined ? null : spoken(holder);
}

function spoken({ command, pid }: Contender): string {
  return `${command === '' ? '' : `\`microshift-net ${command}\`, `}process ${pid}`;
}
