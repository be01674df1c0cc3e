// Starts ovsdb-server and ovs-vswitchd in a separate folder with a data path in memory: the daemons and threads are
// real, and the kernel does not change.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const schema = '/usr/share/openvswitch/vswitch.ovsschema';

export interface Daemons {
  /**
   * Folder that stands for `/` of a node: its run/openvswitch is that of the daemons, and proc and sys are this
   * machine's.
   */
  readonly root: string;
  readonly runDirectory: string;
  stop(): void;
}

/** Starts both daemons with one bridge, so that ovs-vswitchd has its handler and revalidator threads. */
export function startDaemons(): Daemons {
  const root = mkdtempSync(join(tmpdir(), 'ovs-daemons-'));
  const runDirectory = join(root, 'run/openvswitch');
  mkdirSync(runDirectory, { recursive: true });
  for (const name of ['proc', 'sys']) symlinkSync(`/${name}`, join(root, name));
  const environment = { ...process.env, OVS_RUNDIR: runDirectory, OVS_DBDIR: root, OVS_LOGDIR: root };
  const run = (program: string, ...words: string[]): string =>
    execFileSync(program, words, { env: environment, cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const socket = join(runDirectory, 'db.sock');
  const quiet = ['-vconsole:off', '-vsyslog:off', '--detach', '--no-chdir'];
  const stop = (): void => {
    for (const name of ['ovs-vswitchd', 'ovsdb-server']) {
      try {
        run('ovs-appctl', '-t', name, 'exit');
      } catch {
        // The daemon was not running.
      }
    }
    rmSync(root, { recursive: true, force: true });
  };
  try {
    run('ovsdb-tool', 'create', join(root, 'conf.db'), schema);
    run('ovsdb-server', join(root, 'conf.db'), `--remote=punix:${socket}`, '--pidfile', ...quiet);
    run('ovs-vsctl', `--db=unix:${socket}`, '--no-wait', 'init');
    run('ovs-vswitchd', `unix:${socket}`, '--pidfile', '--enable-dummy', '--disable-system', ...quiet);
    run('ovs-vsctl', `--db=unix:${socket}`, 'add-br', 'br0', '--', 'set', 'bridge', 'br0', 'datapath_type=dummy');
  } catch (error) {
    stop();
    throw error;
  }
  return { root, runDirectory, stop };
}
