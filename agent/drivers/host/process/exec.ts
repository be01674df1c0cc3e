import type { ChildProcess, StdioOptions } from 'node:child_process';
import { AgentError, messageOf } from '../../../errors.ts';
import { programPath } from './programs.ts';

/**
 * Time limit of a program that ends within milliseconds on an idle machine. A machine that boots or swaps delays it by
 * seconds. Only a program that hangs reaches the limit.
 */
export const commandMs = 15_000;

/** Result of a program that has ended. */
export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Description of the failure; undefined for a success. */
  readonly failure: string | undefined;
}

/**
 * Options of a program: its standard input, the streams that it inherits from the agent, an open file for its output,
 * or a signal that ends it early.
 */
interface RunOptions {
  readonly input?: string;
  readonly stdio?: 'inherit';
  readonly cancelSignal?: AbortSignal;
  readonly stdout?: number;
}

/** Size limit of the output of a program, in bytes: far more than any program prints that the agent reads. */
const longestOutputBytes = 100_000_000;

/**
 * Runs a program without a shell and waits for its end. A non-zero exit status is a result and not an error. Standard
 * input is empty by default. A program that inherits the agent's streams stays in the agent's session. Any other
 * program gets a session of its own (setsid(2)), because a second Ctrl-C must not end programs that a rollback needs.
 * Fails with `command-missing`.
 */
export async function run(
  program: string,
  programArguments: readonly string[],
  timeoutMs: number,
  { input, stdio, cancelSignal, stdout }: RunOptions = {},
): Promise<Finished> {
  const streams = stdio ?? ([input === undefined ? 'ignore' : 'pipe', stdout ?? 'pipe', 'pipe'] as const);
  const options = { stdio: streams as StdioOptions, detached: stdio === undefined };
  const end = await ended(program, programArguments, options, { timeoutMs, bytes: longestOutputBytes }, (child) => {
    child.stdin?.on('error', () => undefined).end(input);
    const stop = (): void => stopProgram(child);
    cancelSignal?.addEventListener('abort', stop);
    if (cancelSignal?.aborted === true) stop();
    return () => cancelSignal?.removeEventListener('abort', stop);
  });
  if (end.notStarted !== null) {
    throw new AgentError('command-missing', `${program} cannot be started: ${end.notStarted}`, {
      hint: `install the package that has ${program}`,
      facts: { program },
    });
  }
  const note = noteOf(end);
  const text = (wanted: 'stdout' | 'stderr'): string =>
    textOf(end.chunks.filter(({ from }) => from === wanted)).replace(/\r?\n$/, '');
  return {
    exitCode: end.stopped === null ? (end.exitCode ?? -1) : -1,
    stdout: text('stdout'),
    stderr: text('stderr'),
    failure: note === null ? undefined : `${[program, ...programArguments].join(' ')} ${note}`,
  };
}

export interface Captured {
  /** Standard output and standard error in the order of their arrival, cut at the limit. */
  readonly text: string;
  /** Reason why the output is incomplete or the program failed; null for a success. */
  readonly note: string | null;
}

/**
 * Runs a program and returns its output up to a limit. Never fails: `note` says that the program is missing, has failed
 * or hangs.
 */
export async function capture(
  program: string,
  programArguments: readonly string[],
  timeoutMs: number,
  limitBytes: number,
): Promise<Captured> {
  const options = { stdio: ['ignore', 'pipe', 'pipe'] as StdioOptions, detached: false };
  const end = await ended(program, programArguments, options, { timeoutMs, bytes: limitBytes });
  return { text: textOf(end.chunks).slice(0, limitBytes), note: noteOf(end) };
}

/** Part of the output of a program. */
interface Chunk {
  readonly from: 'stdout' | 'stderr';
  readonly bytes: Buffer;
}

/** End of a program, and its output up to then. */
interface End {
  readonly chunks: readonly Chunk[];
  /** Exit status; null if a signal ended the program or it was not started. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Reason for which the agent stopped the program; null if it did not. */
  readonly stopped: string | null;
  /** Reason of the kernel why the program was not started; null if it was. */
  readonly notStarted: string | null;
}

/**
 * Starts a program, and waits for its end and for the end of its output. Stops a program that exceeds the time limit,
 * or that prints more than the limit in bytes. `begun` is called once the program is started, and returns a function
 * that is called after the end.
 */
async function ended(
  program: string,
  programArguments: readonly string[],
  options: { readonly stdio: StdioOptions; readonly detached: boolean },
  limits: { readonly timeoutMs: number; readonly bytes: number },
  begun: (child: ChildProcess) => () => void = () => () => undefined,
): Promise<End> {
  const { spawn } = await import('node:child_process');
  const chunks: Chunk[] = [];
  const none = { chunks, exitCode: null, signal: null, stopped: null };
  let child: ChildProcess;
  try {
    child = spawn(programPath(program), programArguments, { ...options, argv0: program });
  } catch (cause) {
    return { ...none, notStarted: messageOf(cause) };
  }
  let stopped: string | null = null;
  const stop = (reason: string): void => {
    stopped ??= reason;
    stopProgram(child);
  };
  let size = 0;
  for (const from of ['stdout', 'stderr'] as const)
    child[from]?.on('data', (bytes: Buffer) => {
      if (size <= limits.bytes) chunks.push({ from, bytes });
      size += bytes.length;
      if (size > limits.bytes) stop(`cut after ${limits.bytes} bytes`);
    });
  const timer = setTimeout(() => stop(`ended after ${limits.timeoutMs / 1000} s`), limits.timeoutMs);
  const done = begun(child);
  const end = await new Promise<End>((resolve) => {
    // Node.js also reports a signal that could not be sent as an error; such a program runs on until its end.
    child.on('error', (error) => {
      if (child.pid === undefined) resolve({ ...none, notStarted: error.message });
    });
    child.once('close', (exitCode, signal) => resolve({ chunks, exitCode, signal, stopped, notStarted: null }));
  });
  clearTimeout(timer);
  done();
  return end;
}

/** Time in ms after which a program that ignores SIGTERM gets SIGKILL. */
const graceMs = 5_000;

/** Ends a program. Output that its own children still have open is not waited for. */
function stopProgram(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) {
    closeOutput(child);
    return;
  }
  const kill = setTimeout(() => child.kill('SIGKILL'), graceMs);
  child.once('exit', () => {
    clearTimeout(kill);
    closeOutput(child);
  });
  child.kill();
}

function closeOutput({ stdout, stderr }: ChildProcess): void {
  for (const stream of [stdout, stderr]) stream?.destroy();
}

/** Returns the description of a failure; null for a success. */
function noteOf({ exitCode, signal, stopped, notStarted }: End): string | null {
  const unusual = notStarted ?? stopped;
  if (unusual !== null) return unusual;
  if (signal !== null) return `ended by ${signal}`;
  return exitCode === 0 ? null : `ended with ${exitCode}`;
}

function textOf(chunks: readonly Chunk[]): string {
  return Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
}

/** Runs a program with an open file as its standard output. Fails with `command-missing` or `step-failed`. */
export async function runInto(
  descriptor: number,
  program: string,
  programArguments: readonly string[],
  timeoutMs: number,
): Promise<void> {
  const { exitCode, stderr, failure } = await run(program, programArguments, timeoutMs, { stdout: descriptor });
  if (exitCode === 0) return;
  throw new AgentError('step-failed', failure ?? program, {
    hint: 'check that there is room for it (df)',
    facts: { program, stderr: stderr.trim() },
  });
}

/**
 * Starts a program and calls `onOutput` for every chunk of its standard output, until the returned function is called.
 * The program runs in a session of its own, and the kernel ends it when the agent ends for any reason (PR_SET_PDEATHSIG
 * of prctl(2)). This matters for a run that was killed: systemd starts the rollback only when the last process of the
 * run's scope has ended. `onEnd` is called if the program ends by itself.
 */
export async function follow(
  program: string,
  programArguments: readonly string[],
  onOutput: () => void,
  onEnd: () => void,
): Promise<() => void> {
  const { spawn } = await import('node:child_process');
  const child = spawn(programPath('setpriv'), ['--pdeathsig', 'KILL', program, ...programArguments], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let isOver = false;
  const end = (): void => {
    if (!isOver) onEnd();
    isOver = true;
  };
  child.stdout.on('data', onOutput);
  child.on('error', end).once('close', end);
  return () => {
    isOver = true;
    // The pid of a program that could not be started is undefined. For such a pid, Node.js would send the signal to
    // process id 0, which means all processes in the agent's process group.
    if (child.pid !== undefined) child.kill('SIGKILL');
  };
}

/** Result of starting a script that continues to run. */
export interface Detached {
  /** First line that the script has printed, which reports that it is ready; null if it printed none. */
  readonly line: string | null;
  readonly exitCode: number;
}

/**
 * Starts a script with the Node.js of this process, in a session of its own (daemon(7)), and waits until it prints a
 * line or ends. Standard error is passed to `onError` until then, and discarded afterwards.
 */
export async function startDetached(
  script: string,
  words: readonly string[],
  onError: (text: string) => void,
): Promise<Detached> {
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [...process.execArgv, script, ...words], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
  });
  child.stderr.on('data', (chunk: Buffer) => onError(String(chunk)));
  let printed = '';
  const first = await new Promise<string | number | null>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += String(chunk);
      if (printed.includes('\n')) resolve(printed.slice(0, printed.indexOf('\n')));
    });
    child.on('error', () => resolve(null)).once('close', resolve);
  });
  if (typeof first === 'number') return { line: null, exitCode: first };
  if (first === null) {
    throw new AgentError('step-failed', `the daemon has ended: ${child.signalCode ?? 'it cannot be started'}`, {
      hint: 'run it without --detach to see why',
    });
  }
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  child.unref();
  return { line: first, exitCode: 0 };
}
