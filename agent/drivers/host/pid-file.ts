import { readSmallFile } from './files.ts';
import { fileText } from './kernel-files.ts';
import { processStart } from './process-start.ts';

/** The process that a file names, if it still is one of this program; null: there is none. */
export function processOf(pidFile: string, program: string): number | null {
  const pid = Number(readSmallFile(pidFile) ?? '');
  if (!Number.isInteger(pid) || pid <= 0 || processStart(pid) === null) return null;
  return fileText(`/proc/${pid}/cmdline`)?.includes(program) === true ? pid : null;
}
