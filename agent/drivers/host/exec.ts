import type { Options } from 'execa';
import { AgentError } from '../../errors.ts';

/** What a finished program left. */
export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** How it failed, in words. */
  readonly failure: string | undefined;
}

/** Something to read on standard input, our own input and output, an open file for its output, or a signal that ends it early. */
type RunOptions = Pick<Options, 'input'> | Pick<Options, 'stdio'> | Pick<Options, 'cancelSignal' | 'stdin' | 'stdout'>;

/**
 * Runs a program without a shell and waits for its end; a non-zero exit is an answer, not an error. It reads nothing unless told otherwise. It is in a
 * session of its own (setsid(2)) where it does not use ours: a second Ctrl-C is for a run that is on its way back, which does not stop for it, and not
 * for the programs that the way back needs. Fails with `command-missing`.
 */
export async function run(
  program: string,
  programArguments: readonly string[],
  timeoutMs: number,
  options: RunOptions = { stdin: 'ignore' },
): Promise<Finished> {
  const { execa } = await import('execa');
  const detached = !('stdio' in options);
  const result = await execa(program, [...programArguments], {
    ...options,
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
  /** Standard output and error as they came, no more than the limit. */
  readonly text: string;
  /** What kept it from being complete or good; null: nothing did. */
  readonly note: string | null;
}

/** Runs a program and keeps what it prints, up to a limit, whatever becomes of it: one that is missing or hangs is a note. */
export async function capture(
  program: string,
  programArguments: readonly string[],
  timeoutMs: number,
  limitBytes: number,
): Promise<Captured> {
  const { execa } = await import('execa');
  const result = await execa(program, [...programArguments], {
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
  // Its own limit counts for standard output and error each.
  return { text: String(result.all ?? '').slice(0, limitBytes), note };
}

/** Runs a program whose standard output is a file that is open already. Fails with `command-missing` or `step-failed`. */
export async function runInto(
  descriptor: number,
  program: string,
  programArguments: readonly string[],
  timeoutMs: number,
): Promise<void> {
  // Any open descriptor will do; execa's types know the first ten.
  const stdout = descriptor as 1;
  const { exitCode, stderr, failure } = await run(program, programArguments, timeoutMs, { stdin: 'ignore', stdout });
  if (exitCode === 0) return;
  throw new AgentError('step-failed', failure ?? program, {
    hint: 'check that there is room for it (df)',
    facts: { program, stderr: stderr.trim() },
  });
}

/**
 * Starts a program and calls back for every chunk it prints, until the returned end is called. It is in a session of its own, too, and ends with us
 * however we do (PR_SET_PDEATHSIG of prctl(2)): the scope of a run that was killed ends with its last process, and only then systemd starts what takes
 * the run back. `onEnd` is called when it ends by itself.
 */
export async function follow(
  program: string,
  programArguments: readonly string[],
  onOutput: () => void,
  onEnd: () => void,
): Promise<() => void> {
  const { execa } = await import('execa');
  const child = execa('setpriv', ['--pdeathsig', 'KILL', program, ...programArguments], {
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
    // Of one that could not be started Node sends the signal to whatever number is there, which may be 0: everybody in our process group.
    if (child.pid !== undefined) child.kill('SIGKILL');
  };
}

/** What a daemon came to before it was left alone. */
export interface Detached {
  /** The line by which it said that all is done; null: it has ended. */
  readonly line: string | null;
  readonly exitCode: number;
}

/**
 * Runs a script of this Node in a session of its own (daemon(7)), and waits until it prints a line or ends. What it says on standard error until then is
 * handed on; afterwards nobody listens.
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
