import type { DirectNode } from '../../model/direct-node.ts';
import type { OverlayGateway, OverlayNode } from '../../model/overlay.ts';
import type { RowReference } from '../../model/rows.ts';
import { addressIn, isIpv6, sameFamily, withoutLength } from '../addresses.ts';
import type { Cluster } from '../cluster/cluster-rows.ts';
import { isTunnelPacket } from '../cluster/isolation.ts';
import { managementPlace } from '../cluster/node-rows.ts';
import { gatewayNames, joinNames, nodeNames, uplinkPort } from '../overlay-names.ts';
import { aclPriorities } from '../rows/acl-priorities.ts';
import { type DesiredColumn, is, keys, only } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { addFixedMac, removeFixedMac } from '../rows/fixed-macs.ts';
import { addNamelessRow } from '../rows/nameless-rows.ts';
import { addRouterPolicy, hopsColumn } from '../rows/router-policies.ts';
import { listOf, textOf } from '../rows/row-index.ts';
import { nodeTag } from '../rows/tags.ts';
import type { DirectPath } from './direct-nodes.ts';

/**
 * Priority of the policies by which the cluster's router leads packets to a direct route, or drops them: below that of
 * the policies by which pods reach the nodes themselves (agent/overlay/cluster/node-rows.ts).
 */
const clusterPriority = 1003;
/**
 * Priority of the policies by which a gateway's router forwards packets of direct routes: above that of the policies
 * against forged sources.
 */
const gatewayPriority = 1011;

const families = [
  { isSix: false, word: 'v4', ip: 'ip4' },
  { isSix: true, word: 'v6', ip: 'ip6' },
] as const;

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
 * Returns, for the subnet of each of the other nodes, the address set of the destinations to which packets from that
 * subnet keep their source. Tunnel packets that pods themselves send still use the tunnel between the nodes, unless
 * `isDirectOnly` is true.
 */
export function addDirectWays(
  desired: DesiredRows,
  { layout, router: clusterRouter }: Pick<Cluster, 'layout' | 'router'>,
  { node, gateway, router, outside, joinAddresses }: DirectGateway,
  neighbours: readonly DirectNode[],
  isDirectOnly = false,
): ReadonlyMap<string, RowReference> {
  removeBindings(desired, router, node.name, neighbours);
  const hops = hopsColumn(desired);
  const policy = (
    holder: PlannedRow,
    priority: number,
    match: string,
    columns: Readonly<Record<string, DesiredColumn>>,
    why: string,
  ): void => addRouterPolicy(desired, holder, node.name, { priority, match }, columns, why);
  const reroute = (to: string): Readonly<Record<string, DesiredColumn>> => ({
    action: is('reroute'),
    [hops]: is([to]),
  });
  const fromPods = nodeNames(node.name).onRouter;
  const fromCluster = joinNames(router.title).onRouter;
  const fromLan = gatewayNames(node.name).onRouter;
  const exempt = new Map<string, RowReference>();
  for (const { isSix, word, ip } of families) {
    const subnets = neighbours.flatMap(({ subnet }) => (isIpv6(subnet) === isSix ? [subnet] : []));
    const own = node.subnets.find((subnet) => isIpv6(subnet) === isSix);
    if (subnets.length === 0 || own === undefined) continue;
    if (!isDirectOnly)
      policy(
        clusterRouter,
        clusterPriority + 1,
        `inport == "${fromPods}" && ${ip}.dst == {${subnets.join(', ')}} && ${isTunnelPacket}`,
        { action: is('allow') },
        'bridges drop tunnel packets of pods, so these packets need a tunnel themselves',
      );
    const setName = `direct_${node.name.replaceAll('-', '_')}_${word}`;
    const set = desired.add({
      table: 'Address_Set',
      title: `pods that answer neighbours of ${node.name}, ${word}`,
      existing: desired.existing.named('Address_Set', setName),
      columns: { name: is(setName), addresses: only([own]), external_ids: keys({ 'ip-family': word }) },
      node: node.name,
      why: 'packets of the neighbours keep their source on the way to these pods',
    });
    for (const subnet of subnets) exempt.set(subnet, set.reference);
  }
  for (const { name, address, mac, subnet } of neighbours) {
    const own = sameFamily(node.subnets, subnet);
    const hop = sameFamily(joinAddresses, subnet);
    if (own === null || hop === null) continue;
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
    addFixedMac(
      desired,
      fromLan,
      withoutLength(address),
      mac,
      `${name} announces this MAC, and no other member can change it`,
    );
    const forged = `inport == "${uplinkPort(layout.naming, node.name, gateway)}" && eth.src != ${mac} && ${matchOf(subnet)}.src == ${subnet}`;
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
  return exempt;
}

/**
 * Plans the policies that drop packets from a node's pods to pods of another node if the two nodes can have no direct
 * route. No such packet then uses a tunnel. A policy has the same priority and match as the policy that would otherwise
 * lead the packets to the gateway.
 */
export function addMissingWays(
  desired: DesiredRows,
  { router }: Pick<Cluster, 'router'>,
  node: OverlayNode,
  paths: readonly DirectPath[],
): void {
  for (const { name, subnet, neighbour, obstacle } of paths) {
    const own = sameFamily(node.subnets, subnet);
    if (neighbour !== null || own === null) continue;
    desired.trace.push(`direct=${node.name} to ${name} not possible: ${obstacle?.reason}`);
    addRouterPolicy(
      desired,
      router,
      node.name,
      { priority: clusterPriority, match: `inport == "${nodeNames(node.name).onRouter}" && ${podsOnly(own, subnet)}` },
      { action: is('drop'), [hopsColumn(desired)]: is([]) },
      `pods of ${name} have no direct route, and tunnels are not used`,
    );
  }
}

/**
 * Deletes the fixed MACs of next hops to which no direct route leads any more. Rows of Static_MAC_Binding have no
 * external_ids, so those of this product are found by the next hops in the present policies of the router.
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
  for (const address of new Set(former)) removeFixedMac(desired, port, address);
}

/**
 * Returns the match for packets from pods in the subnet `from` to pods in the subnet `to`. The nodes' own addresses in
 * these subnets do not match.
 */
function podsOnly(from: string, to: string): string {
  const [source, destination] = [from, to].map((subnet) => addressIn(subnet, managementPlace));
  const ip = matchOf(from);
  return `${ip}.src == ${from} && ${ip}.src != ${source} && ${ip}.dst == ${to} && ${ip}.dst != ${destination}`;
}

function matchOf(address: string): 'ip4' | 'ip6' {
  return isIpv6(address) ? 'ip6' : 'ip4';
}
