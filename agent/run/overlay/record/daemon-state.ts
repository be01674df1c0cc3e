import { readSmallFile, replaceFile } from '../../../drivers/host/files/files.ts';
import { processStart } from '../../../drivers/host/process/process-start.ts';
import type { OverlayDaemon } from '../../../model/overlay-daemon.ts';

/**
 * Returns the last state that a daemon has written since the boot; null if no daemon has run, or if the file has
 * another format.
 */
export function readDaemon(path: string): OverlayDaemon | null {
  try {
    const state = JSON.parse(readSmallFile(path) ?? 'null') as OverlayDaemon | null;
    return state?.format === 1 ? state : null;
  } catch {
    return null;
  }
}

/**
 * Writes the state of the daemon to a file in /run. A boot deletes the file, because the state is not valid afterwards.
 */
export function writeDaemon(path: string, state: OverlayDaemon): void {
  replaceFile(path, `${JSON.stringify(state)}\n`);
}

/** Returns true if the daemon that wrote the state is still running. */
export function runsStill({ pid, startTime }: Pick<OverlayDaemon, 'pid' | 'startTime'>): boolean {
  return processStart(pid) === startTime;
}
