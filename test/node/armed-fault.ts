// Arms one of the agent's fault points on a node for the agent's next run (docs/lab/faults.md), and sends a signal to
// the run that is held at the point.
import path from 'node:path';
import { faultFile } from '../../agent/run/fault-points.ts';
import type { TestNode } from './node.ts';
import type { Strike } from './protocol.ts';

/** Action on a run that reaches the point: the run is held until the test releases it, or gets a signal at once. */
export type FaultAction = 'hold' | Strike;

/** Shell text that releases a held run, and disarms a point that no run has reached. */
export const letGoOfRun = `rm -f ${faultFile} ${faultFile}.*`;

/** Holds the next run that reaches this point, and sends it a signal if the action is not `hold`. */
export async function armFault(node: TestNode, point: string, action: FaultAction): Promise<void> {
  const folder = path.dirname(faultFile);
  await node.text(`${letGoOfRun}; install -d ${folder}; umask 077; echo '${JSON.stringify({ point })}' > ${faultFile}`);
  node.strikeHeld(faultFile, action === 'hold' ? null : action);
}
