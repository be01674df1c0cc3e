// Control groups for a node, below those of this process, and a cgroup namespace in which they are the root.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = '/sys/fs/cgroup';
const ofOurs = /^microshift-net-(\d+)-/;
/** Controllers without which a kubelet does not start. */
const needed = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids'] as const;

/** Hierarchy of control groups of version 1: its controllers, and the group of this process in it. */
interface Hierarchy {
  readonly controllers: string;
  readonly folder: string;
}

/** Returns the reason why this machine cannot create control groups for a kubelet; null if it can. */
export function missingForGroups(): string | null {
  const there = hierarchies().flatMap(({ controllers }) => controllers.split(','));
  const absent = needed.filter((name) => !there.includes(name));
  return absent.length === 0
    ? null
    : `no control groups of version 1 for ${absent.join(', ')} (those of version 2 are not tried)`;
}

/** Groups with the same name, one in each hierarchy. */
export interface Groups {
  /** Options of each hierarchy for mount(8). */
  readonly controllers: readonly string[];
  /** Returns the command line that runs a program in the groups. */
  joined(words: readonly string[]): readonly string[];
  /** Removes the groups, which must not contain processes. */
  remove(): void;
}

/** Creates the groups, and removes those of test runs that were killed. */
export function makeGroups(node: string): Groups {
  const found = hierarchies();
  // A killed test run whose process had the same pid may have left groups with this name.
  const name = `microshift-net-${process.pid}-${node}`;
  for (const { folder } of found) {
    for (const entry of readdirSync(folder)) {
      const [, pid] = ofOurs.exec(entry) ?? [];
      const isLeft = entry === name || (pid !== undefined && !existsSync(`/proc/${pid}`));
      // Another test run can remove the groups at the same time; groups that remain do no harm.
      if (isLeft) spawnSync('find', removal([join(folder, entry)]), { stdio: 'ignore' });
    }
  }
  const folders = found.map(({ folder }) => join(folder, name));
  for (const [index, { controllers, folder }] of found.entries()) {
    const own = folders[index] ?? '';
    mkdirSync(own);
    // A group of the controller cpuset cannot have processes before its CPUs and memory nodes are set.
    if (!controllers.split(',').includes('cpuset')) continue;
    for (const file of ['cpuset.cpus', 'cpuset.mems']) writeFileSync(join(own, file), readFileSync(join(folder, file)));
  }
  const enter = 'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs"; shift; done; shift; exec "$@"';
  return {
    controllers: found.map(({ controllers }) => controllers),
    joined: (words) => ['sh', '-c', enter, 'sh', ...folders, '--', ...words],
    remove: () => void execFileSync('find', removal(folders)),
  };
}

/** Returns arguments of find(1) that remove groups: only folders, because the kernel removes the files in them. */
function removal(folders: readonly string[]): readonly string[] {
  return [...folders, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', '+'];
}

function hierarchies(): readonly Hierarchy[] {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n');
  return lines.flatMap((line) => {
    const [, controllers = '', path = ''] = line.split(':');
    return controllers === '' || controllers.startsWith('name=')
      ? []
      : [{ controllers, folder: join(root, controllers, path) }];
  });
}
