// Arms one of the agent's own fault points on a node, for its next run (docs/faults.md).
import path from 'node:path';
import { type FaultAction, faultFile } from '../../agent/run/fault-points.ts';
import type { TestNode } from './node.ts';

/** The fault strikes the next run that comes to this point. One that holds lets go when its file is removed. */
export async function armFault(node: TestNode, point: string, action: FaultAction): Promise<void> {
  const fault = JSON.stringify({ point, action });
  await node.text(`install -d ${path.dirname(faultFile)}; umask 077; echo '${fault}' > ${faultFile}`);
}
