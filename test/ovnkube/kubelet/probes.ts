// Probes of a container, as the kubelet runs them.
import { spawn } from 'node:child_process';
import { get } from 'node:http';
import type { Json } from './kubelet-requests.ts';

/** Runs a command in a container; returns its exit code, or null if it cannot start or does not end in time. */
export function runInside(
  pid: number,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  seconds: number,
): Promise<number | null> {
  const inside = ['--target', String(pid), '--mount', '--root', '--wd=/', ...command];
  const child = spawn('nsenter', inside, { env, stdio: 'ignore', timeout: seconds * 1000, killSignal: 'SIGKILL' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(null)).once('exit', (code) => resolve(code));
  });
}

/** Returns true if a probe succeeds. */
export async function isGood(
  { exec, httpGet, timeoutSeconds = 1 }: Json,
  run: (command: readonly string[], seconds: number) => Promise<number | null>,
): Promise<boolean> {
  if (exec !== undefined) return (await run(exec.command, timeoutSeconds)) === 0;
  if (httpGet === undefined) throw new Error('only exec and httpGet are known as probes');
  const { host = '127.0.0.1', port, path = '/' } = httpGet;
  return new Promise((resolve) => {
    const asking = get({ host, port, path, timeout: timeoutSeconds * 1000 }, (incoming) => {
      incoming.resume();
      resolve((incoming.statusCode ?? 500) < 400);
    });
    asking.on('error', () => resolve(false)).on('timeout', () => asking.destroy());
  });
}
