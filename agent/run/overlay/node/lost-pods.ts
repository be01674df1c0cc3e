import { AgentError } from '../../../errors.ts';
import { directFaults } from '../../../overlay/direct/direct-nodes.ts';
import { neverMessage, obstacleSentences } from '../../../overlay/direct/direct-only.ts';
import { announcedHere } from './direct-here.ts';
import type { PlannedNode } from './planned-node.ts';
import { rememberedDirect } from './stored-inbound.ts';

/**
 * Returns sentences about the setting `never` of `overlay.encapsulation`. On the central node, they say why the setting
 * has no effect yet. Once the setting has an effect, they say why pods of some nodes do not reach each other. On a
 * member, they say which nodes have pods that the member does not reach. Returns an empty list on a member as long as
 * the cluster has tunnels.
 */
export function directProblems({ record, places, local, direct }: PlannedNode): readonly string[] {
  if (record.members !== null) return obstacleSentences(direct);
  if (!direct.isDirectOnly || record.node.subnets.length === 0) return [];
  const neighbours = rememberedDirect(places);
  if (neighbours.length > 0) return directFaults(neighbours, announcedHere(local.rows), true);
  return [
    `pods of ${record.node.name} and of other nodes do not reach each other, because overlay.encapsulation is never on the central node and ${record.node.name} has no direct route; microshift-net overlay nodes, on the central node, shows the reason`,
  ];
}

/** Fails with `overlay-conflict` if the setting `never` of `overlay.encapsulation` cannot take effect. */
export function refuseLostPods({ direct: { isDirectOnly, obstacles } }: PlannedNode): void {
  const [first, ...others] = obstacles;
  if (first === undefined || isDirectOnly) return;
  const further = others.length === 0 ? '' : ` (${others.length} further reasons: microshift-net overlay verify)`;
  throw new AgentError('overlay-conflict', `${neverMessage(isDirectOnly, first.reason)}${further}`, {
    hint: `${first.remedy}; or set overlay.encapsulation: auto`,
    facts: { reasons: obstacles.map(({ reason }) => reason) },
  });
}
