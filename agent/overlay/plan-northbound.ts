import type { NorthboundFacts, OverlayPlan } from '../model/overlay.ts';
import { vtepPeersOf } from '../model/overlay-peer.ts';
import { withoutLength } from './addresses.ts';
import { addCluster } from './cluster/cluster-rows.ts';
import { addNode, managementAddresses } from './cluster/node-rows.ts';
import { directPaths } from './direct/direct-nodes.ts';
import { addMissingWays } from './direct/direct-rows.ts';
import { addEgressRoutes } from './gateway/egress-routes.ts';
import { addGateway } from './gateway/gateway-router.ts';
import { addBfdInterval, addVip, vipsOf } from './gateway/vip.ts';
import { traitsOf } from './layouts/layouts.ts';
import { refuseSharedIdentity, refuseTakenSubnets } from './members/shared-identity.ts';
import { addVtep } from './peers/vtep-rows.ts';
import { createDesiredRows, type DesiredRows, foundIn } from './rows/desired-rows.ts';
import { refuseForeignDatabase, refuseTakenNames } from './rows/row-ownership.ts';
import { removeGroups, removeStaleRows } from './rows/stale-rows.ts';
import { nodeTag } from './rows/tags.ts';

/** Reason for the removal of the rows that all nodes share. */
const lastLeaves = 'the last node leaves the cluster';

/**
 * Returns the number of random MACs that is sufficient for a plan: three for the router ports of each node, and one for
 * the cluster's router.
 */
export function macsNeeded(nodes: number): number {
  return 3 * nodes + 1;
}

/**
 * Plans the rows of OVN_Northbound for these nodes, and the removal of the rows of leaving nodes. Throws an AgentError
 * if the planner refuses the nodes.
 */
export function planNorthbound(facts: NorthboundFacts): OverlayPlan {
  const { layout, nodes, leaving, rows } = facts;
  const desired = createDesiredRows(foundIn(rows), layout.owner);
  refuseForeignDatabase(desired.existing, layout.owner);
  refuseSharedIdentity(facts);
  refuseTakenNames(facts, desired.existing);
  refuseTakenSubnets(facts, desired.existing);
  for (const { name, subnets, gateway } of nodes)
    desired.trace.push(
      `node=${name} ${subnets.join(' ') || 'without pods'}, ${gateway === null ? 'no gateway' : `gateway on ${gateway.bridge}`}`,
    );
  const isEmpty = nodes.length === 0 && leaving.length > 0 && !hasOtherNodes(desired, facts);
  if (!isEmpty) addAll(desired, facts);
  const about = new Set(nodes.map(({ name }) => name));
  removeStaleRows(desired, layout.owner, (node) => {
    if (node === null) return isEmpty ? lastLeaves : null;
    if (leaving.includes(node)) return `${node} leaves the cluster`;
    return about.has(node) ? `${node} does not need this row any more` : null;
  });
  if (isEmpty) removeGroups(desired, lastLeaves);
  return { database: rows.database, guards: desired.guards, changes: desired.changes, trace: desired.trace };
}

function addAll(desired: DesiredRows, facts: NorthboundFacts): void {
  const cluster = addCluster(desired, facts);
  for (const node of facts.nodes.filter(({ subnets }) => subnets.length > 0)) {
    addNode(desired, cluster, node, facts.holdsPorts);
    if (facts.isDirectOnly === true)
      addMissingWays(desired, cluster, node, directPaths(facts.layout, facts.nodes, node));
  }
  const ofNodes = facts.nodes.flatMap(managementAddresses).map(withoutLength);
  if (traitsOf(facts.layout).servesOutsideClients && !facts.leaving.includes(facts.centralNode))
    for (const peer of vtepPeersOf(facts.peers ?? []))
      addVtep(desired, facts.layout, cluster.router, ofNodes, facts.centralNode, peer);
  const gateways = facts.nodes.flatMap((node) =>
    node.gateway === null || node.gateway.isVip === true
      ? []
      : [addGateway(desired, cluster, facts, node, node.gateway)],
  );
  const vips = vipsOf(facts.nodes);
  for (const vip of vips) addVip(desired, cluster, vip, facts);
  if (vips.length > 0 && facts.bfdIntervalMs !== undefined) addBfdInterval(desired, facts.bfdIntervalMs);
  addEgressRoutes(desired, cluster, gateways, vips, facts.leaving);
}

/** Returns true if rows of this product name a node that does not leave the cluster. */
function hasOtherNodes(desired: DesiredRows, { layout, leaving }: NorthboundFacts): boolean {
  const rows = [...desired.existing.all('Logical_Switch'), ...desired.existing.all('Logical_Router')];
  return rows.some((row) => {
    const node = nodeTag(row, layout.owner);
    return node !== null && !leaving.includes(node);
  });
}
