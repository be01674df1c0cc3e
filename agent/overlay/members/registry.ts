import { AgentError } from '../../errors.ts';
import type { OverlayLayout } from '../../model/overlay.ts';
import type { DatabaseRow, DatabaseRows } from '../../model/rows.ts';
import { addressAt, overlaps } from '../../net/address-range.ts';
import { isIpv6, rangeOf, subnetOf, withoutLength } from '../addresses.ts';
import { gatewayNames, joinNames, nodeNames } from '../overlay-names.ts';
import { indexRows, listOf, mapOf, type RowIndex, textOf } from '../rows/row-index.ts';
import { chassisOf, clusterRouterOf } from '../rows/row-ownership.ts';
import { tagKeys } from '../rows/tag-keys.ts';
import { nodeTag } from '../rows/tags.ts';

/** Node as the rows of OVN_Northbound describe it. */
export interface RegisteredNode {
  readonly name: string;
  /**
   * Number of the node; null if its rows do not have the number in external_ids, like the rows of ovn-kubernetes of
   * 2017.
   */
  readonly id: number | null;
  readonly systemId: string | null;
  readonly subnets: readonly string[];
  readonly gateway: { readonly joinAddresses: readonly string[]; readonly addresses: readonly string[] } | null;
}

/** Returns the nodes of a cluster, sorted by name: nodes with pods, and nodes that are only gateways. */
export function registeredNodes(rows: DatabaseRows, owner: string): readonly RegisteredNode[] {
  const existing = indexRows(rows);
  const ports = existing.referred(clusterRouterOf(existing), 'ports', 'Logical_Router_Port');
  const withPods = ports.map((port) => textOf(port, 'name')).filter((name) => name.startsWith('rtos-'));
  const gateways = existing
    .all('Logical_Router')
    .filter((row) => 'chassis' in mapOf(row, 'options'))
    .map((row) => textOf(row, 'name'))
    .filter((name) => name.startsWith('GR_'));
  const names = new Set([...withPods.map((name) => name.slice(5)), ...gateways.map((name) => name.slice(3))]);
  return [...names].toSorted().map((name) => nodeOf(existing, name, owner));
}

function nodeOf(existing: RowIndex, name: string, owner: string): RegisteredNode {
  const port = existing.named('Logical_Router_Port', nodeNames(name).onRouter);
  const { router, onRouter } = gatewayNames(name);
  const gateway = existing.named('Logical_Router', router);
  const networksOf = (port: string): readonly string[] =>
    listOf(existing.named('Logical_Router_Port', port), 'networks').map(String);
  return {
    name,
    id: idOf([existing.named('Logical_Switch', name), gateway], owner),
    systemId: chassisOf(existing, name, owner),
    subnets: listOf(port, 'networks').map((network) => subnetOf(String(network))),
    gateway: gateway && { joinAddresses: networksOf(joinNames(router).onRouter), addresses: networksOf(onRouter) },
  };
}

function idOf(rows: readonly (DatabaseRow | null)[], owner: string): number | null {
  for (const row of rows) {
    const id = row !== null && nodeTag(row, owner) !== null ? mapOf(row, 'external_ids')[tagKeys.nodeId] : undefined;
    if (id !== undefined) return Number(id);
  }
  return null;
}

/** Number and subnets that are assigned to a node: those that it has already, or else the lowest free ones. */
export interface Assignment {
  readonly id: number;
  readonly subnets: readonly string[];
}

/**
 * Prefix length of a new subnet of a node: room for 252 pods of IPv4, and for 65,534 of IPv6
 * (agent/workload/pods/subnets.ts).
 */
const nodeSubnetLength = { 4: 24, 6: 64 } as const;

export function assignNode(layout: OverlayLayout, registered: readonly RegisteredNode[], name: string): Assignment {
  const own = registered.find((node) => node.name === name);
  const others = registered.filter((node) => node.name !== name);
  const taken = others.flatMap(({ subnets }) => subnets);
  const subnets = layout.clusterSubnets.map(
    (cluster) => own?.subnets.find((subnet) => isIpv6(subnet) === isIpv6(cluster)) ?? freeSubnet(cluster, taken),
  );
  return { id: numberFor(registered, name), subnets };
}

/** Returns the number that a node has, or else the lowest free number. */
export function numberFor(registered: readonly RegisteredNode[], name: string): number {
  const ids = new Set(registered.filter((node) => node.name !== name).map(({ id }) => id));
  let id = registered.find((node) => node.name === name)?.id ?? 1;
  while (ids.has(id)) id += 1;
  return id;
}

function freeSubnet(cluster: string, taken: readonly string[]): string {
  const range = rangeOf(cluster);
  const length = Math.max(nodeSubnetLength[range.family], range.prefixLength);
  const size = 2 ** ((range.family === 4 ? 32 : 128) - length);
  for (let place = 0; ; place += size) {
    const first = addressAt(range, place);
    if (first === null) break;
    const subnet = `${withoutLength(first)}/${length}`;
    if (!taken.some((other) => overlaps(rangeOf(other), rangeOf(subnet)))) return subnet;
  }
  throw new AgentError('overlay-conflict', `no subnet of ${cluster} is free for another node`, {
    hint: 'remove nodes that are gone: microshift-net overlay leave --node NAME; or choose a larger overlay.clusterSubnet',
  });
}
