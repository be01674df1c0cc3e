import { fileText } from './kernel-files.ts';

/**
 * When a process began, in clock ticks since boot: field 22 of /proc/PID/stat (proc_pid_stat(5)); null: there is none. It tells a process from a later
 * one with its number.
 */
export function processStart(pid: number): number | null {
  const text = fileText(`/proc/${pid}/stat`);
  return text === null ? null : Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19]);
}
