import { readSmallFile, replaceFile } from '../../../drivers/host/files/files.ts';
import { processStart } from '../../../drivers/host/process/process-start.ts';
import type { OverlayDaemon } from '../../../model/overlay-daemon.ts';

/**
 * Returns the state that the daemon of this boot last wrote; null if no daemon has run, or if the file has another
 * format.
 */
export function readDaemon(path: string): OverlayDaemon | null {
  try {
    const state = JSON.parse(readSmallFile(path) ?? 'null') as OverlayDaemon | null;
    return state?.format === 1 ? state : null;
  } catch {
    return null;
  }
}

/** Writes the state of the daemon. The file is in /run, because the state is of no use after a boot. */
export function writeDaemon(path: string, state: OverlayDaemon): void {
  replaceFile(path, `${JSON.stringify(state)}\n`);
}

/** True if the daemon that wrote the state still runs. */
export function runsStill({ pid, startTime }: Pick<OverlayDaemon, 'pid' | 'startTime'>): boolean {
  return processStart(pid) === startTime;
}
