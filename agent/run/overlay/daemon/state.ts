import { readSmallFile, replaceFile } from '../../../drivers/host/files.ts';
import { processStart } from '../../../drivers/host/process-start.ts';
import type { OverlayDaemon } from '../../../model/overlay-daemon.ts';

/** What the daemon of this boot last wrote of itself; null: none has run, or that is not ours. */
export function readDaemon(path: string): OverlayDaemon | null {
  try {
    const state = JSON.parse(readSmallFile(path) ?? 'null') as OverlayDaemon | null;
    return state?.format === 1 ? state : null;
  } catch {
    return null;
  }
}

/** Writes it; it is gone after a boot, as what it tells of is. */
export function writeDaemon(path: string, state: OverlayDaemon): void {
  replaceFile(path, `${JSON.stringify(state)}\n`);
}

/** Whether the daemon that wrote this still runs. */
export function runsStill({ pid, startTime }: Pick<OverlayDaemon, 'pid' | 'startTime'>): boolean {
  return processStart(pid) === startTime;
}
