// Command that a test runs in its node.
import type { KillPlan, Request, RunEnd } from './protocol.ts';
import type { Wire } from './wire.ts';

export interface RunOptions {
  timeoutMs?: number;
  kill?: KillPlan;
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string;
}

export interface RunResult extends RunEnd {
  stdout: string;
  stderr: string;
}

/** Command that runs in the background. */
export interface RunningCommand {
  /** Returns the standard output so far. */
  stdout(): string;
  /** Returns the standard error so far. */
  stderr(): string;
  /** Resolves as soon as the output contains a text; rejects if the command ends without it. */
  saw(text: string): Promise<void>;
  /** Sends a signal to every live process of the command; with SIGKILL, none of them can start another process. */
  signal(name: string): Promise<void>;
  ended: Promise<RunResult>;
}

const defaultTimeoutMs = 120_000;
// Time that the node may take beyond the command's own limit if its CPU is busy.
const answerLimitMs = 30_000;
const environment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LANG: 'C.UTF-8',
};

/** Starts shell text in the node. A command that outlives its limit is killed, and its `ended` rejects. */
export function startCommand(wire: Wire, shell: string, options: RunOptions, sampleMemory: boolean): RunningCommand {
  const { cwd = '/root', env = {}, stdin = '', kill = null, timeoutMs = defaultTimeoutMs } = options;
  const request: Request = {
    do: 'run',
    shell,
    cwd,
    env: { ...environment, ...env },
    stdin,
    kill,
    timeoutMs,
    sampleMemory,
  };
  const output = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  const asked = wire.ask<RunEnd>(request, timeoutMs + answerLimitMs, `"${shell}" to end`, (stream, text) => {
    output[stream] += text;
    for (const watcher of watchers) watcher();
  });
  const shown = (): string => `\n${output.stdout}${output.stderr}`;
  const ended = asked.value.then((end) => {
    if (!end.timedOut) return { ...end, ...output };
    throw new Error(`test node: waited ${timeoutMs / 1000} s for "${shell}" to end${shown()}`);
  });
  ended.catch(() => {}); // The caller that awaits the promise handles its error.
  const saw = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (!output.stdout.includes(text) && !output.stderr.includes(text)) return;
        watchers.delete(check);
        resolve();
      };
      watchers.add(check);
      check();
      ended.then(() => reject(new Error(`test node: "${shell}" ended without "${text}"${shown()}`)), reject);
    });
  const signal = (name: string): Promise<void> =>
    wire.ask<void>({ do: 'signal', target: asked.id, signal: name }, answerLimitMs, `"${shell}" to get ${name}`).value;
  return { stdout: () => output.stdout, stderr: () => output.stderr, ended, saw, signal };
}
