import { fileText } from '../files/kernel-files.ts';

/**
 * Returns the start time of a process in clock ticks since boot, field 22 of /proc/PID/stat (proc_pid_stat(5)); null if
 * the process does not exist. The start time distinguishes a process from a later one with the same pid.
 */
export function processStart(pid: number): number | null {
  const text = fileText(`/proc/${pid}/stat`);
  return text === null ? null : Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19]);
}
