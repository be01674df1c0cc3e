import type { OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import type { OverlayPeer } from '../../model/overlay-peer.ts';
import type { RowReference } from '../../model/rows.ts';
import { isIpv6 } from '../addresses.ts';
import { traitsOf } from '../layouts/layouts.ts';
import { gatewayNames } from '../overlay-names.ts';
import { is, keys, only } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { addNamelessRow } from '../rows/nameless-rows.ts';
import { addRouterPolicy } from '../rows/router-policies.ts';
import { tagKeys } from '../rows/tag-keys.ts';
import { type PeerWay, waysToPeers } from './peer-ways.ts';

const families = [
  { isSix: false, word: 'v4', ip: 'ip4' },
  { isSix: true, word: 'v6', ip: 'ip6' },
] as const;

/**
 * Priority of the policy that drops packets to services that do not exist. The policies against forged sources have the
 * same priority.
 */
const priority = 1010;

/**
 * Plans the rows by which the gateway of a node reaches peers. These are routes on the gateway's router, as in
 * MicroShift's clusterToCluster (docs/user/howto_c2cc.md, "How It Works"), and an address set. The set contains the
 * ranges of the peers, and the subnets of pods that are reached without a tunnel (`direct`). Packets from pods of the
 * node to the addresses in this set leave with the pod's address (ovn-nb(5), NAT, exempted_ext_ips). Returns the
 * address set for each subnet of the node, except subnets whose packets leave by another gateway. Their packets get the
 * address of that gateway, because a peer's answers to the address of a pod could arrive at a gateway that did not
 * forward the request.
 */
export function addPeerWays(
  desired: DesiredRows,
  layout: OverlayLayout,
  nodes: readonly OverlayNode[],
  node: OverlayNode,
  router: PlannedRow,
  peers: readonly OverlayPeer[],
  direct: readonly string[] = [],
): ReadonlyMap<string, RowReference> {
  const untranslated = new Map<string, RowReference>();
  const ways = traitsOf(layout).servesOutsideClients ? waysToPeers(peers, node.gateway) : [];
  const { onRouter } = gatewayNames(node.name);
  for (const way of ways) addRoute(desired, router, onRouter, node.name, way);
  const led = nodes.flatMap(({ name, gateway }) => (name === node.name ? [] : (gateway?.subnets ?? [])));
  for (const { isSix, word, ip } of families) {
    const ofFamily = (list: readonly string[]): readonly string[] => list.filter((one) => isIpv6(one) === isSix);
    const ofPeers = ofFamily([...new Set(ways.map(({ range }) => range))]);
    if (ofPeers.length > 0) keepServicesInside(desired, router, node.name, ofFamily(layout.serviceSubnets), ip);
    const ranges = [...ofPeers, ...ofFamily(direct)];
    if (ranges.length === 0) continue;
    const own = ofFamily(node.subnets).filter((subnet) => !led.includes(subnet));
    if (own.length === 0) continue;
    const name = `peers_${node.name.replaceAll('-', '_')}_${word}`;
    const set = desired.add({
      table: 'Address_Set',
      title: `ranges that pods of ${router.title} reach with their own address, ${word}`,
      existing: desired.existing.named('Address_Set', name),
      columns: { name: is(name), addresses: only(ranges), external_ids: keys({ 'ip-family': word }) },
      node: node.name,
      why: `pods of ${node.name} keep their own address in packets to these ranges`,
    });
    for (const subnet of own) untranslated.set(subnet, set.reference);
  }
  return untranslated;
}

function addRoute(
  desired: DesiredRows,
  router: PlannedRow,
  port: string,
  node: string,
  { peer, range, nextHop }: PeerWay,
): void {
  desired.trace.push(`peer=${peer} ${range} by ${node} via ${nextHop}`);
  addNamelessRow(desired, {
    table: 'Logical_Router_Static_Route',
    title: `${router.title}: ${range} via ${nextHop}`,
    holder: router,
    column: 'static_routes',
    key: { ip_prefix: range, nexthop: nextHop, output_port: port },
    columns: { external_ids: keys({ [tagKeys.peer]: peer }) },
    node,
    why: `${range} is a network of the peer ${peer}`,
  });
}

/**
 * Plans a router policy that drops a packet from outside whose destination is still in the range of services after load
 * balancing. The router's default route would otherwise return the packet to the LAN.
 */
function keepServicesInside(
  desired: DesiredRows,
  router: PlannedRow,
  node: string,
  serviceSubnets: readonly string[],
  ip: string,
): void {
  const { onRouter } = gatewayNames(node);
  for (const subnet of serviceSubnets) {
    const match = `inport == "${onRouter}" && ${ip}.dst == ${subnet}`;
    const why = `packets to ${subnet} for which no service exists must not leave the cluster`;
    addRouterPolicy(desired, router, node, { priority, match }, { action: is('drop') }, why);
  }
}
