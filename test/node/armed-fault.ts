// Arms one of the agent's fault points on a node, for its next run (docs/lab/faults.md), and strikes the run that
// stands there.
import path from 'node:path';
import { faultFile } from '../../agent/run/fault-points.ts';
import type { TestNode } from './node.ts';
import type { Strike } from './protocol.ts';

/** Action on a run at the point: it stands still until the test releases it, or it is struck at once. */
export type FaultAction = 'hold' | Strike;

/** Shell text that lets a held run go on, and disarms a point that no run came to. */
export const letGoOfRun = `rm -f ${faultFile} ${faultFile}.*`;

/**
 * Makes the next run that comes to this point stand still there, and strikes it if the action is another one than
 * `hold`.
 */
export async function armFault(node: TestNode, point: string, action: FaultAction): Promise<void> {
  const folder = path.dirname(faultFile);
  await node.text(`${letGoOfRun}; install -d ${folder}; umask 077; echo '${JSON.stringify({ point })}' > ${faultFile}`);
  node.strikeHeld(faultFile, action === 'hold' ? null : action);
}
