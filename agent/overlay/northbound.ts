import type { NorthboundFacts, OverlayPlan } from '../model/overlay.ts';
import { wantCluster } from './cluster.ts';
import { createDraft, type Draft, foundIn } from './draft.ts';
import { wantEgressRoutes } from './egress-routes.ts';
import { wantGateway } from './gateway.ts';
import { wantNode } from './node.ts';
import { refuseForeignDatabase, refuseTakenNames } from './ownership.ts';
import { refuseSharedIdentity, refuseTakenSubnets } from './shared-identity.ts';
import { removeGroups, removeSurplus } from './surplus.ts';
import { nodeTag } from './tags.ts';
import { vipsOf, wantVip } from './vip.ts';

/** The last node takes along what all had in common. */
const lastLeaves = 'the last node leaves';

/** How many random MACs are always enough: three ports of routers per node, and one of the cluster's. */
export function macsNeeded(nodes: number): number {
  return 3 * nodes + 1;
}

/** What has to change in OVN_Northbound so that these nodes, and no leaving ones, are in the cluster. Every refusal happens here. */
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

/** True when rows of ours name a node that does not leave. */
function hasOtherNodes(draft: Draft, { layout, leaving }: NorthboundFacts): boolean {
  const rows = [...draft.existing.all('Logical_Switch'), ...draft.existing.all('Logical_Router')];
  return rows.some((row) => {
    const node = nodeTag(row, layout.owner);
    return node !== null && !leaving.includes(node);
  });
}
