import type { NorthboundFacts, OverlayPlan } from '../model/overlay.ts';
import { wantCluster } from './cluster/cluster-rows.ts';
import { wantNode } from './cluster/node-rows.ts';
import { wantEgressRoutes } from './gateway/egress-routes.ts';
import { wantGateway } from './gateway/gateway-router.ts';
import { vipsOf, wantVip } from './gateway/vip.ts';
import { refuseSharedIdentity, refuseTakenSubnets } from './members/shared-identity.ts';
import { createDraft, type Draft, foundIn } from './rows/desired-rows.ts';
import { refuseForeignDatabase, refuseTakenNames } from './rows/row-ownership.ts';
import { removeGroups, removeSurplus } from './rows/stale-rows.ts';
import { nodeTag } from './rows/tags.ts';

/** Reason for the removal of the rows that all nodes share. */
const lastLeaves = 'the last node leaves';

/** Returns a sufficient number of random MACs: three for the ports of each node's routers, and one for the cluster's router. */
export function macsNeeded(nodes: number): number {
  return 3 * nodes + 1;
}

/** Plans the rows of OVN_Northbound for these nodes, and the removal of leaving nodes. All refusals are errors of this function. */
export function planNorthbound(facts: NorthboundFacts): OverlayPlan {
  const { layout, nodes, leaving, rows } = facts;
  const draft = createDraft(foundIn(rows), layout.owner);
  refuseForeignDatabase(draft.existing, layout.owner);
  refuseSharedIdentity(facts);
  refuseTakenNames(facts, draft.existing);
  refuseTakenSubnets(facts, draft.existing);
  for (const { name, subnets, gateway } of nodes)
    draft.trace.push(
      `node=${name} ${subnets.join(' ') || 'without pods'}, ${gateway === null ? 'no gateway' : `gateway on ${gateway.bridge}`}`,
    );
  const isEmpty = nodes.length === 0 && leaving.length > 0 && !hasOtherNodes(draft, facts);
  if (!isEmpty) wantAll(draft, facts);
  const about = new Set(nodes.map(({ name }) => name));
  removeSurplus(draft, layout.owner, (node) => {
    if (node === null) return isEmpty ? lastLeaves : null;
    if (leaving.includes(node)) return `${node} leaves the cluster`;
    return about.has(node) ? `nothing of ${node} needs it any more` : null;
  });
  if (isEmpty) removeGroups(draft, lastLeaves);
  return { database: rows.database, guards: draft.guards, changes: draft.changes, trace: draft.trace };
}

function wantAll(draft: Draft, facts: NorthboundFacts): void {
  const cluster = wantCluster(draft, facts);
  for (const node of facts.nodes.filter(({ subnets }) => subnets.length > 0)) wantNode(draft, cluster, node);
  const gateways = facts.nodes.flatMap((node) =>
    node.gateway === null || node.gateway.isVip === true
      ? []
      : [wantGateway(draft, cluster, facts, node, node.gateway)],
  );
  const vips = vipsOf(facts.nodes);
  for (const vip of vips) wantVip(draft, cluster, vip);
  wantEgressRoutes(draft, cluster, gateways, vips, facts.leaving);
}

/** Returns true if rows of this product name a node that does not leave. */
function hasOtherNodes(draft: Draft, { layout, leaving }: NorthboundFacts): boolean {
  const rows = [...draft.existing.all('Logical_Switch'), ...draft.existing.all('Logical_Router')];
  return rows.some((row) => {
    const node = nodeTag(row, layout.owner);
    return node !== null && !leaving.includes(node);
  });
}
