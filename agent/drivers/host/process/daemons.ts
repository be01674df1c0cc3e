import { AgentError } from '../../../errors.ts';
import type { DaemonFacts, DaemonName, DropInFacts, ThreadFacts, TuningFacts } from '../../../model/tuning.ts';
import { readSmallFile } from '../files/files.ts';
import { fileText, namesIn } from '../files/kernel-files.ts';
import { commandMs, run } from './exec.ts';

/*
 * State of the running Open vSwitch daemons, from /proc. The settings of a unit or of the database do not show this
 * state, because they may not have taken effect yet. Every `apply` reads this state, so only a few small files are read
 * and no process is started.
 */

/** Reads the state of the Open vSwitch daemons. */
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
    // The drop-in about locked memory exists only for ovs-vswitchd, because ovs-ctl locks the memory of no other
    // daemon.
    dropIns:
      name === 'ovsdb-server'
        ? [affinity]
        : [affinity, dropIn('no-mlockall', name, 'microshift-net-no-mlockall.conf', root)],
  };
}

/**
 * Returns the pid in the pid file of a daemon; null if no process with this pid is the daemon. Another process may have
 * got the pid after the end of the daemon.
 */
function runningPid(name: DaemonName, root: string): number | null {
  const pid = Number.parseInt(readPidFile(`${root}/run/openvswitch/${name}.pid`) ?? '', 10);
  return fileText(`${root}/proc/${pid}/comm`) === name ? pid : null;
}

/**
 * Returns the text of a pid file; null if it cannot be read. The directory of pid files belongs to Open vSwitch's own
 * user, who can create any file there.
 */
function readPidFile(path: string): string | null {
  try {
    return readSmallFile(path);
  } catch {
    return null;
  }
}

function readThreads(directory: string): readonly ThreadFacts[] {
  return namesIn(directory).flatMap((tid): ThreadFacts[] => {
    // The file `status` of a thread is missing if the thread has ended since the directory was read.
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
 * Returns the arguments of taskset(1) commands that set the CPU affinity of threads of a running process, one list per
 * command; null `threads` means all threads. The last argument is the id of the thread, or of the process if the
 * command concerns all threads. systemd/microshift-net-affinity.service runs taskset(1) with the same arguments.
 */
export function tasksetWords(pid: number, threads: readonly number[] | null, cpus: string): readonly string[][] {
  if (threads === null) return [['-a', '-c', '-p', cpus, String(pid)]];
  return threads.map((tid) => ['-c', '-p', cpus, String(tid)]);
}

/**
 * Sets the CPU affinity of threads of a running process (sched_setaffinity(2)); null `threads` means all threads. A
 * thread that has ended is ignored.
 */
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
