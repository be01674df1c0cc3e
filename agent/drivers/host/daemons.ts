import { AgentError } from '../../errors.ts';
import type { DaemonFacts, DaemonName, DropInFacts, ThreadFacts, TuningFacts } from '../../model/tuning.ts';
import { run } from './exec.ts';
import { readSmallFile } from './files.ts';
import { fileText, namesIn } from './kernel-files.ts';

/*
 * The truth about running daemons is in /proc: what a unit or a database says may not have reached them. A few small files are read
 * and no process is started, because every `apply` reads this.
 */

/** taskset(1) does one system call per thread. */
const commandMs = 3_000;

/** How the daemons of Open vSwitch run now. */
export function readTuning(root = ''): TuningFacts {
  return {
    onlineCpus: fileText(`${root}/sys/devices/system/cpu/online`) ?? '0',
    baseCpus: statusField(fileText(`${root}/proc/1/status`), 'Cpus_allowed_list') ?? '0',
    daemons: [readDaemon('ovs-vswitchd', root), readDaemon('ovsdb-server', root)],
  };
}

function readDaemon(name: DaemonName, root: string): DaemonFacts {
  const pid = runningPid(name, root);
  const affinity = dropIn('affinity', name, 'microshift-net-cpuaffinity.conf', root);
  return {
    name,
    pid,
    threads: pid === null ? [] : readThreads(`${root}/proc/${pid}/task`),
    lockedKib:
      pid === null ? 0 : Number.parseInt(statusField(fileText(`${root}/proc/${pid}/status`), 'VmLck') ?? '0', 10),
    // ovs-ctl locks the memory of ovs-vswitchd only.
    dropIns:
      name === 'ovsdb-server'
        ? [affinity]
        : [affinity, dropIn('no-mlockall', name, 'microshift-net-no-mlockall.conf', root)],
  };
}

/** The pid file's process, if it still is the daemon: the number may have gone to another one since. */
function runningPid(name: DaemonName, root: string): number | null {
  const pid = Number.parseInt(readPidFile(`${root}/run/openvswitch/${name}.pid`) ?? '', 10);
  return fileText(`${root}/proc/${pid}/comm`) === name ? pid : null;
}

/** The folder belongs to Open vSwitch's own user, who could put anything there. */
function readPidFile(path: string): string | null {
  try {
    return readSmallFile(path);
  } catch {
    return null;
  }
}

function readThreads(directory: string): readonly ThreadFacts[] {
  return namesIn(directory).flatMap((tid): ThreadFacts[] => {
    // A thread that ended since the listing has no file any more.
    const status = fileText(`${directory}/${tid}/status`);
    const cpus = statusField(status, 'Cpus_allowed_list');
    return cpus === null ? [] : [{ tid: Number(tid), name: statusField(status, 'Name') ?? '', cpus }];
  });
}

function dropIn(kind: DropInFacts['kind'], unit: DaemonName, file: string, root: string): DropInFacts {
  const path = `/etc/systemd/system/${unit}.service.d/${file}`;
  const shipped = readSmallFile(`${root}/usr/lib/systemd/system/${unit}.service.d/${file}`);
  return { kind, path, text: readSmallFile(`${root}${path}`), shipped };
}

/**
 * What taskset(1) is told to give threads of a running process a CPU affinity; null: all of them. Each has the thread as its last word. It is
 * read by systemd/microshift-net-affinity.service, too.
 */
export function tasksetWords(pid: number, threads: readonly number[] | null, cpus: string): readonly string[][] {
  if (threads === null) return [['-a', '-c', '-p', cpus, String(pid)]];
  return threads.map((tid) => ['-c', '-p', cpus, String(tid)]);
}

/** Gives threads of a running process a CPU affinity (sched_setaffinity(2)); null: all of them. One that has ended is fine. */
export async function pinThreads(pid: number, threads: readonly number[] | null, cpus: string): Promise<void> {
  for (const words of tasksetWords(pid, threads, cpus)) await taskset(words);
}

async function taskset(words: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await run('taskset', words, commandMs);
  if (exitCode === 0 || fileText(`/proc/${words.at(-1)}/comm`) === null) return;
  throw new AgentError('step-failed', `the kernel refused \`taskset ${words.join(' ')}\`: ${stderr.trim()}`, {
    hint: 'look for a cpuset that does not have these CPUs: systemctl show -P AllowedCPUs system.slice',
  });
}

function statusField(status: string | null, name: string): string | null {
  const text = `\n${status ?? ''}\n`;
  const start = text.indexOf(`\n${name}:`);
  return start < 0 ? null : text.slice(start + name.length + 2, text.indexOf('\n', start + 1)).trim();
}
