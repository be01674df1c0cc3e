import { readSmallFile } from '../files/files.ts';
import { fileText } from '../files/kernel-files.ts';
import { processStart } from './process-start.ts';

/** Returns the pid in a pid file; null unless a process with this pid has `program` in its command line. */
export function processOf(pidFile: string, program: string): number | null {
  const pid = Number(readSmallFile(pidFile) ?? '');
  if (!Number.isInteger(pid) || pid <= 0 || processStart(pid) === null) return null;
  return fileText(`/proc/${pid}/cmdline`)?.includes(program) === true ? pid : null;
}
