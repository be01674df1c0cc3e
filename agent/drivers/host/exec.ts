import { AgentError } from '../../errors.ts';

/** What a finished program left. */
export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program without a shell and waits for its end; a non-zero exit is an answer, not an error. Fails with `command-missing`. */
export async function run(program: string, programArguments: readonly string[], timeoutMs: number): Promise<Finished> {
  const { execa } = await import('execa');
  const result = await execa(program, [...programArguments], { reject: false, timeout: timeoutMs, stdin: 'ignore' });
  if (result.exitCode === undefined && !result.timedOut && result.signal === undefined) {
    throw new AgentError('command-missing', `${program} cannot be started: ${result.shortMessage}`, {
      hint: `install the package that has ${program}`,
      facts: { program },
    });
  }
  return { exitCode: result.exitCode ?? -1, stdout: String(result.stdout), stderr: String(result.stderr) };
}

/**
 * Starts a program and calls back for every chunk it prints, until the returned end is called.
 * `onEnd` is called when it ends by itself.
 */
export async function follow(
  program: string,
  programArguments: readonly string[],
  onOutput: () => void,
  onEnd: () => void,
): Promise<() => void> {
  const { execa } = await import('execa');
  const child = execa(program, [...programArguments], {
    reject: false,
    buffer: false,
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
    child.kill('SIGKILL');
  };
}

/** A program that outlives us. */
export interface Survivor {
  /** Sends it a last line and ends its standard input. */
  readonly tell: (line: string) => void;
  /** Ends its standard input without a word, as our death would. */
  readonly hangUp: () => void;
}

/** Starts a program that outlives this process and reads standard input: it sees the end of it when we die. Fails with `command-missing`. */
export async function outlive(program: string, programArguments: readonly string[]): Promise<Survivor> {
  const { execa } = await import('execa');
  const child = execa(program, [...programArguments], {
    reject: false,
    detached: true,
    cleanup: false,
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  if (child.pid === undefined) {
    throw new AgentError('command-missing', `${program} cannot be started`, {
      hint: `install the package that has ${program}`,
      facts: { program },
    });
  }
  // It was killed: nothing is left to tell it.
  child.stdin.on('error', () => undefined);
  child.unref();
  return { tell: (line) => child.stdin.end(`${line}\n`), hangUp: () => child.stdin.end() };
}
