import { AgentError } from '../../errors.ts';
import type { NorthboundFacts, OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import type { DatabaseRow } from '../../model/rows.ts';
import { traitsOf } from '../layouts/layouts.ts';
import { gatewayNames, nodeNames } from '../overlay-names.ts';
import { mapOf, type RowIndex, textOf } from './row-index.ts';
import { tagKeys } from './tag-keys.ts';
import { isOwnedBy, nodeTag } from './tags.ts';

/**
 * Returns the cluster's router, which all programs of ovn-kubernetes since 2016 mark with the key `k8s-cluster-router`;
 * null if the database has no cluster.
 */
export function clusterRouterOf(existing: RowIndex): DatabaseRow | null {
  return (
    existing.all('Logical_Router').find((row) => mapOf(row, 'external_ids')['k8s-cluster-router'] === 'yes') ?? null
  );
}

/**
 * Refuses a database with a cluster router of ovn-kubernetes (ovnkube) or of another owner: the two programs would
 * overwrite each other's rows again and again.
 */
export function refuseForeignDatabase(existing: RowIndex, owner: string): void {
  const routers = existing.all('Logical_Router');
  const foreign = routers.find((row) => textOf(row, 'name') === 'ovn_cluster_router' && !isOwnedBy(row, owner));
  if (foreign === undefined) return;
  const others = mapOf(foreign, 'external_ids')[tagKeys.owner];
  const whose = others === undefined ? 'an ovnkube' : others;
  const switches = existing.all('Logical_Switch').map((row) => textOf(row, 'name'));
  const found = ['ovn_cluster_router', ...switches.toSorted().slice(0, 3), ...(switches.length > 3 ? ['…'] : [])];
  throw new AgentError(
    'overlay-foreign',
    `the northbound database has the cluster router of ${whose}: ${found.join(', ')}`,
    {
      hint: 'one of the two can run the cluster: remove ovn-kubernetes and its databases, or leave the cluster to it',
      facts: { router: 'ovn_cluster_router', switches },
    },
  );
}

/** Refuses a node if rows of another program or of another chassis have names that the node's rows need. */
export function refuseTakenNames({ layout, nodes, centralNode }: NorthboundFacts, existing: RowIndex): void {
  const { owner } = layout;
  for (const node of nodes) {
    const nodeSwitch = existing.named('Logical_Switch', node.name);
    if (nodeSwitch !== null && node.subnets.length > 0 && !isNodeSwitch(nodeSwitch, owner))
      throw taken(`a switch named ${node.name} belongs to another program`, node.name);
    const { onRouter, onSwitch, management } = nodeNames(node.name);
    const gateway = gatewayNames(node.name);
    inPlace(existing, 'Logical_Switch_Port', [onSwitch, management], node.name);
    inPlace(existing, 'Logical_Switch_Port', [gateway.onSwitch], gateway.outside);
    inPlace(existing, 'Logical_Router_Port', [gateway.onRouter], gateway.router);
    const onCluster = existing.named('Logical_Router_Port', onRouter);
    const holder = onCluster === null ? null : existing.parentOf(onCluster);
    if (holder !== null && holder.row !== clusterRouterOf(existing))
      throw taken(`a port named ${onRouter} is on ${textOf(holder.row, 'name')}`, node.name);
    refuseOtherChassis(existing, node, layout);
  }
  const router = existing.named('Logical_Router', centralNode);
  if (traitsOf(layout).isRouterNamedAfterNode && router !== null && clusterRouterOf(existing) === null)
    throw taken(`a router named ${centralNode} is there, and it is not a cluster's`, centralNode);
}

function isNodeSwitch(row: DatabaseRow, owner: string): boolean {
  return isOwnedBy(row, owner) || 'gateway_ip' in mapOf(row, 'external_ids');
}

function inPlace(existing: RowIndex, table: string, names: readonly string[], wanted: string): void {
  for (const name of names) {
    const row = existing.named(table, name);
    const holder = row === null ? null : existing.parentOf(row);
    const where = textOf(holder?.row ?? null, 'name');
    if (holder !== null && where !== wanted) throw taken(`a port named ${name} is on ${where}`, wanted);
  }
}

/** Refuses a node whose existing rows name another chassis: a node name belongs to one chassis. */
function refuseOtherChassis(
  existing: RowIndex,
  { name, systemId }: Pick<OverlayNode, 'name' | 'systemId'>,
  layout: OverlayLayout,
): void {
  const chassis = chassisOf(existing, name, layout.owner);
  if (chassis === null || chassis === systemId) return;
  const removal = traitsOf(layout).removal(name, gatewayNames(name).router);
  throw new AgentError('overlay-conflict', `node ${name} is chassis ${chassis}, not ${systemId}`, {
    hint: `give the node another name; or, if it was installed again: ${removal}`,
    facts: { node: name, chassis },
  });
}

/** Returns the chassis that a node's rows name; null if they name none. */
export function chassisOf(existing: RowIndex, name: string, owner: string): string | null {
  const router = existing.named('Logical_Router', gatewayNames(name).router);
  const ofGateway = mapOf(router, 'options').chassis;
  if (ofGateway !== undefined) return ofGateway;
  const port = existing.named('Logical_Router_Port', nodeNames(name).onRouter);
  const [pinned] = existing.referred(port, 'gateway_chassis', 'Gateway_Chassis');
  if (pinned !== undefined) return textOf(pinned, 'chassis_name');
  const nodeSwitch = existing.named('Logical_Switch', name);
  if (nodeSwitch === null || nodeTag(nodeSwitch, owner) !== name) return null;
  return mapOf(nodeSwitch, 'external_ids')[tagKeys.chassis] ?? null;
}

function taken(what: string, name: string): AgentError {
  return new AgentError('overlay-conflict', what, {
    hint: 'rename it, or give the node another name',
    facts: { name },
  });
}
