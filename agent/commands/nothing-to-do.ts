import { statSync } from 'node:fs';
import { lockDirectory, takeLock } from '../apply/lock.ts';
import { startRecord } from '../reconcile/run-record.ts';
import { isStillSettled } from '../settled/look.ts';
import { agentVersion } from '../version.ts';
import type { Output } from './output.ts';

export const nothingToDoText = 'Nothing to do: the node is as wanted.';

/**
 * `apply` on a node where all that a plan follows from is as it was when a run found nothing to do: says so and returns true. False:
 * a full run has to look. Fails with `busy`.
 */
export async function nothingToDo(boot: boolean, agentBuild: string, output: Output): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  const command = boot ? 'apply --boot' : 'apply';
  const lock = await takeLock(lockDirectory, command);
  try {
    const record = startRecord(command);
    if (!(await isStillSettled(agentBuild))) return false;
    record.ended(false, null);
  } finally {
    lock.release();
  }
  output.result(nothingToDoText, {});
  return true;
}

/** Tells builds apart: the version, and which file of the machine the program is and since when. */
export function buildOf(program: string): string {
  const { ino, ctimeMs } = statSync(program);
  return `${agentVersion} ${ino} ${ctimeMs}`;
}
