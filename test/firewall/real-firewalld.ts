// Runs firewalld in a separate network namespace and on a separate bus, with real zones and rules that do not affect
// this machine.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns the reason why firewalld cannot run here; false if it can. */
export function firewalldSkip(): string | false {
  if (process.getuid?.() !== 0) return 'firewalld needs root';
  for (const program of ['firewalld', 'firewall-cmd', 'dbus-daemon', 'nft', 'unshare']) {
    if (spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0) return `${program} is not installed`;
  }
  return spawnSync('unshare', ['-n', 'nft', 'add', 'table', 'inet', 'probe']).status === 0
    ? false
    : 'no nf_tables here';
}

export interface RealFirewalld {
  readonly environment: NodeJS.ProcessEnv;
  /** Runs a program on the bus of this firewalld. */
  run(
    program: string,
    ...words: string[]
  ): { readonly status: number | null; readonly stdout: string; readonly stderr: string };
  /** Starts a program on the bus of this firewalld. */
  spawn(program: string, ...words: string[]): Promise<{ readonly status: number | null; readonly stderr: string }>;
  start(): void;
  /** Stops firewalld with a signal, so that it seems busy, or lets it continue. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends firewalld; the bus continues. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts a bus for a firewalld that `start` starts on it. */
export function createFirewalld(): RealFirewalld {
  const folder = mkdtempSync(join(tmpdir(), 'firewalld-'));
  const socket = `unix:path=${join(folder, 'bus')}`;
  const policy =
    '<policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/></policy>';
  writeFileSync(
    join(folder, 'bus.conf'),
    `<busconfig><type>system</type><listen>${socket}</listen><auth>EXTERNAL</auth>${policy}</busconfig>`,
  );
  mkdirSync(join(folder, 'etc'));
  const environment = { ...process.env, DBUS_SYSTEM_BUS_ADDRESS: socket };
  const pid = execFileSync('dbus-daemon', [`--config-file=${join(folder, 'bus.conf')}`, '--fork', '--print-pid'], {
    encoding: 'utf8',
  }).trim();
  const run: RealFirewalld['run'] = (program, ...words) => {
    const { status, stdout, stderr } = spawnSync(program, words, { env: environment, encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const spawnOnBus: RealFirewalld['spawn'] = (program, ...words) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, words, { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        stderr += chunk;
      });
      child.once('error', reject);
      child.once('close', (status) => resolve({ status, stderr }));
    });
  let daemon: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => (daemon === undefined ? resolve(null) : daemon.once('close', resolve)));
    daemon?.kill('SIGTERM');
    await ended;
    daemon = undefined;
  };
  return {
    environment,
    run,
    spawn: spawnOnBus,
    signal: (name) => daemon?.kill(name),
    start: () => {
      const words = [
        '-n',
        '--',
        'firewalld',
        '--nofork',
        '--nopid',
        '--system-config',
        join(folder, 'etc'),
        '--log-file',
        join(folder, 'log'),
      ];
      daemon = spawn('unshare', words, { env: environment, stdio: 'ignore' });
      const waited = run('timeout', '30', 'sh', '-c', 'until firewall-cmd --state; do sleep 0.1; done');
      if (waited.status !== 0) throw new Error(`firewalld does not start: ${waited.stdout}${waited.stderr}`);
    },
    stop,
    remove: async () => {
      await stop();
      process.kill(Number(pid));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
