import type { Options } from 'execa';
import { AgentError } from '../../../errors.ts';
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
type RunOptions = Pick<Options, 'input'> | Pick<Options, 'stdio'> | Pick<Options, 'cancelSignal' | 'stdin' | 'stdout'>;

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
  options: RunOptions = { stdin: 'ignore' },
): Promise<Finished> {
  const { execa } = await import('execa');
  const detached = !('stdio' in options);
  const result = await execa(programPath(program), [...programArguments], {
    ...options,
    argv0: program,
    detached,
    timeout: timeoutMs,
    reject: false,
  });
  if (result.exitCode === undefined && !result.timedOut && !result.isCanceled && result.signal === undefined) {
    throw new AgentError('command-missing', `${program} cannot be started: ${result.shortMessage}`, {
      hint: `install the package that has ${program}`,
      facts: { program },
    });
  }
  const { exitCode = -1, stdout, stderr, shortMessage } = result;
  return { exitCode, stdout: String(stdout), stderr: String(stderr), failure: shortMessage };
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
  const { execa } = await import('execa');
  const result = await execa(programPath(program), [...programArguments], {
    argv0: program,
    reject: false,
    all: true,
    stdin: 'ignore',
    timeout: timeoutMs,
    maxBuffer: limitBytes,
    stripFinalNewline: false,
  });
  let note: string | null = null;
  if (result.isMaxBuffer) note = `cut after ${limitBytes} bytes`;
  else if (result.timedOut) note = `ended after ${timeoutMs / 1000} s`;
  else if (result.signal !== undefined) note = `ended by ${result.signal}`;
  else if (result.exitCode === undefined) note = result.originalMessage ?? 'it cannot be started';
  else if (result.exitCode !== 0) note = `ended with ${result.exitCode}`;
  // The combined text of standard output and standard error is cut, because maxBuffer limits each of the two streams
  // separately.
  return { text: String(result.all ?? '').slice(0, limitBytes), note };
}

/** Runs a program with an open file as its standard output. Fails with `command-missing` or `step-failed`. */
export async function runInto(
  descriptor: number,
  program: string,
  programArguments: readonly string[],
  timeoutMs: number,
): Promise<void> {
  // execa accepts any open file descriptor, although its types contain only the first ten.
  const stdout = descriptor as 1;
  const { exitCode, stderr, failure } = await run(program, programArguments, timeoutMs, { stdin: 'ignore', stdout });
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
  const { execa } = await import('execa');
  const child = execa(programPath('setpriv'), ['--pdeathsig', 'KILL', program, ...programArguments], {
    reject: false,
    buffer: false,
    detached: true,
    stdin: 'ignore',
    stderr: 'ignore',
  });
  child.stdout?.on('data', onOutput);
  let ended = false;
  child.then(() => {
    if (!ended) onEnd();
  }, onEnd);
  return () => {
    ended = true;
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
  const { execa } = await import('execa');
  const child = execa(process.execPath, [...process.execArgv, script, ...words], {
    reject: false,
    buffer: false,
    cleanup: false,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
  });
  child.stderr.on('data', (chunk: Buffer) => onError(String(chunk)));
  let printed = '';
  const line = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += String(chunk);
      if (printed.includes('\n')) resolve(printed.slice(0, printed.indexOf('\n')));
    });
  });
  const first = await Promise.race([line, child]);
  if (typeof first !== 'string') {
    if (first.exitCode !== undefined) return { line: null, exitCode: first.exitCode };
    throw new AgentError('step-failed', `the daemon has ended: ${first.shortMessage}`, {
      hint: 'run it without --detach to see why',
    });
  }
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  child.unref();
  return { line: first, exitCode: 0 };
}
