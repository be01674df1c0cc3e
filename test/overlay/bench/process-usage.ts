// Resources of a process and of all processes that it has started, from /proc.
import { readdirSync, readFileSync } from 'node:fs';

export interface Usage {
  /** CPU time of the running processes, and of the processes that they have started and waited for. */
  readonly cpuSeconds: number;
  /** Sum of the highest resident memory of each live process. */
  readonly peakMb: number;
  /** Present resident memory. */
  readonly residentMb: number;
  /** Part of the resident memory that belongs to no file. */
  readonly anonymousMb: number;
}

/** Clock ticks per second in proc_pid_stat(5): USER_HZ, which is 100 on all of Linux's common architectures. */
const ticksPerSecond = 100;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}

/** Returns a process and its descendants. */
export function familyOf(pid: number): readonly number[] {
  return family(pid, processes());
}

/** Returns the usage of a process and its descendants. */
export function usageOf(pid: number): Usage {
  const all = processes();
  const pids = family(pid, all);
  const wanted = new Set(pids);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
  const megabytes = (key: string): number => sum(pids.map((one) => kibibytes(one, key))) / 1024;
  return {
    cpuSeconds: sum(all.filter((one) => wanted.has(one.pid)).map((one) => one.ticks)) / ticksPerSecond,
    peakMb: megabytes('VmHWM'),
    residentMb: megabytes('VmRSS'),
    anonymousMb: megabytes('RssAnon'),
  };
}

function family(pid: number, all: readonly Process[]): readonly number[] {
  const found = new Set([pid]);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const one of all) if (found.has(one.parent)) found.add(one.pid);
  }
  return [...found];
}

function processes(): readonly Process[] {
  return readdirSync('/proc').flatMap((name): Process[] => {
    const text = /^\d+$/.test(name) ? contents(`/proc/${name}/stat`) : '';
    // The name in brackets may contain any character; the fields follow it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (fields.length < 20) return [];
    const ticks = fields.slice(11, 15).reduce((total, one) => total + Number(one), 0);
    return [{ pid: Number(name), parent: Number(fields[1]), ticks }];
  });
}

function kibibytes(pid: number, key: string): number {
  return Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(contents(`/proc/${pid}/status`))?.[1] ?? 0);
}

/** Returns the content of a file; empty if its process has ended meanwhile. */
function contents(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
