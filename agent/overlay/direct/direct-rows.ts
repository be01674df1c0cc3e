import type { DirectNode } from '../../model/direct-node.ts';
import type { OverlayGateway, OverlayNode } from '../../model/overlay.ts';
import type { DatabaseRow, RowReference } from '../../model/rows.ts';
import { addressIn, isIpv6, withoutLength } from '../addresses.ts';
import type { Cluster } from '../cluster/cluster-rows.ts';
import { isTunnelPacket } from '../cluster/isolation.ts';
import { managementPlace } from '../cluster/node-rows.ts';
import { gatewayNames, joinNames, nodeNames, uplinkPort } from '../overlay-names.ts';
import { aclPriorities } from '../rows/acl-priorities.ts';
import { type DesiredColumn, is, keys, only } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { addNamelessRow } from '../rows/nameless-rows.ts';
import { listOf, textOf } from '../rows/row-index.ts';
import { nodeTag } from '../rows/tags.ts';

/**
 * Priority of the policies of the cluster's router: below that of the policies by which pods reach the nodes
 * themselves (agent/overlay/cluster/node-rows.ts).
 */
const clusterPriority = 1003;
/** Priority of the policies of a gateway's router: above that of the guards against forged sources. */
const gatewayPriority = 1011;

const bindings = 'Static_MAC_Binding';

/** Gateway whose node has direct routes. */
interface DirectGateway {
  readonly node: OverlayNode;
  readonly gateway: OverlayGateway;
  readonly router: PlannedRow;
  readonly outside: PlannedRow;
  readonly joinAddresses: readonly string[];
}

/**
 * Plans the direct routes of a node to other nodes on its LAN (`neighbours`). Packets from its pods to pods of such a
 * node leave by its own gateway, with the address of the other node as next hop. Packets from pods of the other node
 * come in from the LAN. Policies are necessary, because a route to a connected subnet takes precedence over static
 * routes (ovn-northd(8), "IP Routing"). The addresses of the nodes themselves in these subnets are left out: a node's
 * firewall and network policies trust packets from its management port, and packets from the LAN are not authenticated.
 *
 * Returns an address set for the subnet of each of the other nodes: packets from this subnet keep their source on the
 * way to the addresses in the set.
 */
export function addDirectWays(
  desired: DesiredRows,
  { layout, router: clusterRouter }: Pick<Cluster, 'layout' | 'router'>,
  { node, gateway, router, outside, joinAddresses }: DirectGateway,
  neighbours: readonly DirectNode[],
): ReadonlyMap<string, RowReference> {
  const own = node.subnets.find((subnet) => !isIpv6(subnet));
  const hop = joinAddresses.find((address) => !isIpv6(address));
  removeBindings(desired, router, node.name, neighbours);
  if (neighbours.length === 0 || own === undefined || hop === undefined) return new Map();
  const hops = desired.hasColumn('Logical_Router_Policy', 'nexthops') ? 'nexthops' : 'nexthop';
  const policy = (
    holder: PlannedRow,
    priority: number,
    match: string,
    columns: Readonly<Record<string, DesiredColumn>>,
    why: string,
  ): void => {
    addNamelessRow(desired, {
      table: 'Logical_Router_Policy',
      title: `${holder.title}: ${match}`,
      holder,
      column: 'policies',
      key: { priority, match },
      columns,
      node: node.name,
      why,
    });
  };
  const reroute = (to: string): Readonly<Record<string, DesiredColumn>> => ({
    action: is('reroute'),
    [hops]: is([to]),
  });
  const fromPods = nodeNames(node.name).onRouter;
  const fromCluster = joinNames(router.title).onRouter;
  const fromLan = gatewayNames(node.name).onRouter;
  policy(
    clusterRouter,
    clusterPriority + 1,
    `inport == "${fromPods}" && ip4.dst == {${neighbours.map(({ subnet }) => subnet).join(', ')}} && ${isTunnelPacket}`,
    { action: is('allow') },
    'bridges drop tunnel packets of pods, so these packets need a tunnel themselves',
  );
  for (const { name, address, mac, subnet } of neighbours) {
    desired.trace.push(`direct=${node.name} to ${name} at ${withoutLength(address)}`);
    const there = podsOnly(own, subnet);
    const toGateway = `packets of pods of ${node.name} for pods of ${name} leave without a tunnel`;
    policy(
      clusterRouter,
      clusterPriority,
      `inport == "${fromPods}" && ${there}`,
      reroute(withoutLength(hop)),
      toGateway,
    );
    policy(
      router,
      gatewayPriority,
      `inport == "${fromCluster}" && ${there}`,
      reroute(withoutLength(address)),
      `pods of ${name} are reached at ${withoutLength(address)}`,
    );
    policy(
      router,
      gatewayPriority,
      `inport == "${fromLan}" && ${podsOnly(subnet, own)}`,
      { action: is('allow') },
      `packets of pods of ${name} come in without a tunnel`,
    );
    addBinding(desired, fromLan, withoutLength(address), mac, name);
    const forged = `inport == "${uplinkPort(layout.naming, node.name, gateway)}" && eth.src != ${mac} && ip4.src == ${subnet}`;
    addNamelessRow(desired, {
      table: 'ACL',
      title: `${outside.title}: ${forged}`,
      holder: outside,
      column: 'acls',
      key: { direction: 'from-lport', priority: aclPriorities.guard, match: forged },
      columns: { action: is('drop') },
      node: node.name,
      why: `a packet with the address of a pod of ${name} that another host sends is forged`,
    });
  }
  const setName = `direct_${node.name.replaceAll('-', '_')}_v4`;
  const set = desired.add({
    table: 'Address_Set',
    title: `pods that answer neighbours of ${node.name}`,
    existing: desired.existing.named('Address_Set', setName),
    columns: { name: is(setName), addresses: only([own]), external_ids: keys({ 'ip-family': 'v4' }) },
    node: node.name,
    why: 'packets of the neighbours keep their source on the way to these pods',
  });
  return new Map(neighbours.map(({ subnet }) => [subnet, set.reference]));
}

/**
 * Plans a fixed MAC for the next hop of a direct route. The router does not resolve this MAC, because every member may
 * write the table of resolved MACs (MAC_Binding), and could attract the packets.
 */
function addBinding(desired: DesiredRows, port: string, address: string, mac: string, neighbour: string): void {
  if (!desired.hasTable(bindings)) return;
  desired.add({
    table: bindings,
    title: `${port}: ${address}`,
    existing: bindingOf(desired, port, address),
    columns: { logical_port: is(port), ip: is(address), mac: is(mac), override_dynamic_mac: is(true) },
    why: `${neighbour} announces this MAC, and no other member can change it`,
  });
}

/**
 * Deletes the fixed MACs of next hops to which no direct route leads any more. The table has no external_ids; the
 * policies of the router name the next hops for which this product has made rows.
 */
function removeBindings(
  desired: DesiredRows,
  router: PlannedRow,
  node: string,
  neighbours: readonly DirectNode[],
): void {
  const port = gatewayNames(node).onRouter;
  const present = neighbours.map(({ address }) => withoutLength(address));
  const former = desired.existing
    .referred(router.existing, 'policies', 'Logical_Router_Policy')
    .filter((row) => nodeTag(row, desired.owner) === node && textOf(row, 'priority') === String(gatewayPriority))
    .flatMap((row) => [...listOf(row, 'nexthops'), ...listOf(row, 'nexthop')].map(String))
    .filter((address) => !present.includes(address));
  for (const address of new Set(former)) {
    const row = bindingOf(desired, port, address);
    if (row !== null)
      desired.remove(bindings, row, `${port}: ${address}`, 'no direct route has this next hop any more');
  }
}

function bindingOf(desired: DesiredRows, port: string, address: string): DatabaseRow | null {
  const rows = desired.existing.all(bindings);
  return rows.find((row) => row.logical_port === port && row.ip === address) ?? null;
}

/**
 * Returns the match for packets from pods in the subnet `from` to pods in the subnet `to`. The nodes' own addresses in
 * these subnets do not match.
 */
function podsOnly(from: string, to: string): string {
  const [source, destination] = [from, to].map((subnet) => addressIn(subnet, managementPlace));
  return `ip4.src == ${from} && ip4.src != ${source} && ip4.dst == ${to} && ip4.dst != ${destination}`;
}
