// Arms one of the agent's own fault points on a node, for its next run (docs/faults.md).
import type { TestNode } from './node.ts';

export const faultFile = '/run/microshift-net/fault.json';

export type FaultAction = 'kill' | 'terminate' | 'exhaust-memory' | 'hold';

/** The fault strikes the next run that comes to this point. One that holds lets go when its file is removed. */
export async function armFault(node: TestNode, point: string, action: FaultAction): Promise<void> {
  const folder = faultFile.slice(0, faultFile.lastIndexOf('/'));
  await node.text(`install -d ${folder}; umask 077; echo '${JSON.stringify({ point, action })}' > ${faultFile}`);
}
