import type { NorthboundFacts, OverlayGateway, OverlayNode } from '../../model/overlay.ts';
import { masqueradeNextHop, masqueradeSubnets } from '../../model/ovn-kubernetes-addresses.ts';
import { isIpv6, macOf, sameFamily, subnetOf, withoutLength } from '../addresses.ts';
import { addBalancedSources } from '../cluster/balanced-sources.ts';
import { addJoinPort, addTaggedBalancer, type Cluster, joinAddressesFor } from '../cluster/cluster-rows.ts';
import { addOutsideGuards, addTunnelGuard } from '../cluster/isolation.ts';
import { nodeFacts } from '../cluster/node-rows.ts';
import { directNeighbours } from '../direct/direct-nodes.ts';
import { addDirectWays } from '../direct/direct-rows.ts';
import { traitsOf } from '../layouts/layouts.ts';
import { gatewayNames } from '../overlay-names.ts';
import { addPeerWays } from '../peers/peer-rows.ts';
import { type DesiredColumn, has, is, keys } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { addNamelessRow } from '../rows/nameless-rows.ts';
import { mapOf } from '../rows/row-index.ts';
import { addTranslations } from './source-translations.ts';
import { addUplink } from './uplink-rows.ts';

/** Desired gateway router, and its addresses on the join switch. */
export interface GatewayRouter {
  readonly node: OverlayNode;
  readonly gateway: OverlayGateway;
  readonly router: PlannedRow;
  readonly joinAddresses: readonly string[];
}

/** Plans a node's gateway router, which connects the join switch and the LAN. */
export function addGateway(
  desired: DesiredRows,
  cluster: Cluster,
  facts: NorthboundFacts,
  node: OverlayNode,
  gateway: OverlayGateway,
): GatewayRouter {
  const { layout } = cluster;
  const { router: name } = gatewayNames(node.name);
  const existing = desired.existing.named('Logical_Router', name);
  // The subnets of the join switch are those in which the cluster's router has its addresses. They may differ from the
  // settings in `layout`, because an older cluster keeps its subnets.
  const subnets = cluster.joinAddresses
    .map(subnetOf)
    .filter((subnet) => sameFamily(gateway.addresses, subnet) !== null);
  const joinAddresses = joinAddressesFor(desired, name, subnets, node.id + 1);
  const router = desired.add({
    table: 'Logical_Router',
    title: name,
    existing,
    node: node.name,
    columns: {
      name: is(name),
      ...(traitsOf(layout).hasBalancerGroups
        ? modernColumns(cluster, node, gateway)
        : seedColumns(desired, facts, node, gateway, joinAddresses)),
    },
    absent: { name },
    why: `${node.name} is a gateway of the cluster`,
  });
  const { isDirectOnly = false } = facts;
  addJoinPort(desired, cluster, router, joinAddresses, node.name, isDirectOnly ? node.subnets : []);
  const one = { node, gateway, router, joinAddresses };
  const outside = addOutside(desired, cluster, one);
  const neighbours = directNeighbours(layout, facts.nodes, node, isDirectOnly);
  const direct = neighbours.map(({ subnet }) => subnet);
  const fromPods = addPeerWays(desired, layout, facts.nodes, node, router, facts.peers ?? [], direct);
  const fromNeighbours = addDirectWays(desired, cluster, { ...one, outside }, neighbours, isDirectOnly);
  addTranslations(desired, layout, one, new Map([...fromPods, ...fromNeighbours]));
  addWays(desired, cluster, one);
  if (traitsOf(layout).guardsGateways) {
    addOutsideGuards(desired, cluster.inside, router, gatewayNames(node.name).onRouter, node.name);
    addTunnelGuard(desired, router, node.name);
    addBalancedSources(desired, facts.nodes, node, gateway, router, joinAddresses);
  }
  return one;
}

/** Returns the external_ids that describe the node of a gateway router. */
function idsOf(node: OverlayNode, addresses: readonly string[]): Readonly<Record<string, string>> {
  return { physical_ip: addresses[0] ?? '', ...nodeFacts(node) };
}

function seedColumns(
  desired: DesiredRows,
  facts: NorthboundFacts,
  node: OverlayNode,
  gateway: OverlayGateway,
  joinAddresses: readonly string[],
): Record<string, DesiredColumn> {
  const own = (['tcp', 'udp'] as const).map((protocol) =>
    addTaggedBalancer(desired, `${protocol.toUpperCase()}_lb_gateway_router`, `GR_${node.name}`, protocol, node.name),
  );
  const ids = idsOf(node, gateway.addresses.map(withoutLength));
  return {
    options: keys({ chassis: node.systemId, lb_force_snat_ip: joinAddresses.map(withoutLength).join(' ') }),
    external_ids: keys({ ...ids, first_gateway: firstGateway(desired, facts, node) }),
    load_balancer: has(...own.map(({ reference }) => reference)),
  };
}

/**
 * Returns the columns of a gateway router in layout `modern`. Options are as ovn-kubernetes sets them
 * (go-controller/pkg/ovn/gateway.go, GatewayInit), except dynamic_neigh_routers (docs/decisions/0053).
 */
function modernColumns(
  { balancers }: Cluster,
  node: OverlayNode,
  gateway: OverlayGateway,
): Record<string, DesiredColumn> {
  const addresses = gateway.addresses.map(withoutLength);
  return {
    options: keys({
      chassis: node.systemId,
      lb_force_snat_ip: 'router_ip',
      'snat-ct-zone': '0',
      always_learn_from_arp_request: 'false',
      dynamic_neigh_routers: 'false',
      mac_binding_age_threshold: '300',
    }),
    external_ids: keys({ ...idsOf(node, addresses), physical_ips: addresses.join(',') }),
    load_balancer_group: has(...balancers.ofRouters.map(({ reference }) => reference)),
  };
}

/**
 * Returns the value of external_ids:first_gateway: `yes` for the first gateway of the cluster, otherwise `no`. An
 * existing gateway keeps its value.
 */
function firstGateway(desired: DesiredRows, { nodes }: NorthboundFacts, node: OverlayNode): string {
  const routers = desired.existing.all('Logical_Router').filter((row) => 'chassis' in mapOf(row, 'options'));
  const own = routers.find((row) => row.name === gatewayNames(node.name).router);
  const said = mapOf(own ?? null, 'external_ids').first_gateway;
  if (said !== undefined) return said;
  const firstOfPlan = nodes.find((entry) => entry.gateway !== null)?.name === node.name;
  return routers.length === 0 && firstOfPlan ? 'yes' : 'no';
}

/**
 * Plans the switch between router and LAN, its port to the NIC, and the ports that connect it with the router. Returns
 * the switch.
 */
function addOutside(desired: DesiredRows, { layout }: Cluster, { node, gateway, router }: GatewayRouter): PlannedRow {
  const { outside, onRouter, onSwitch } = gatewayNames(node.name);
  const common = { node: node.name };
  const outsideSwitch = desired.add({
    ...common,
    table: 'Logical_Switch',
    title: outside,
    existing: desired.existing.named('Logical_Switch', outside),
    columns: { name: is(outside) },
    absent: { name: outside },
    why: `the switch stands for the LAN of ${gateway.bridge} on ${node.name}`,
  });
  addUplink(desired, layout.naming, node.name, gateway, outsideSwitch);
  desired.add({
    ...common,
    table: 'Logical_Router_Port',
    title: onRouter,
    existing: desired.existing.named('Logical_Router_Port', onRouter),
    columns: {
      name: is(onRouter),
      mac: is(gateway.mac),
      networks: is(gateway.addresses),
      external_ids: keys({ 'gateway-physical-ip': 'yes' }),
    },
    place: { row: router, column: 'ports' },
    why: `the gateway answers for ${gateway.addresses.map(withoutLength).join(', ')} with the MAC of ${gateway.bridge}`,
  });
  const options = { 'router-port': onRouter };
  const announced = { 'nat-addresses': 'router', 'exclude-lb-vips-from-garp': 'true' };
  desired.add({
    ...common,
    table: 'Logical_Switch_Port',
    title: onSwitch,
    existing: desired.existing.named('Logical_Switch_Port', onSwitch),
    columns: {
      name: is(onSwitch),
      type: is('router'),
      options: keys(traitsOf(layout).hasRouterOptions ? { ...options, ...announced } : options),
      addresses: is([gateway.mac]),
    },
    place: { row: outsideSwitch, column: 'ports' },
    why: `the port connects ${outside} to the gateway`,
  });
  return outsideSwitch;
}

/** Plans the gateway's routes: to the cluster, to the router of the LAN, and to the node that shares its addresses. */
function addWays(
  desired: DesiredRows,
  { layout, joinAddresses }: Cluster,
  { node, gateway, router }: GatewayRouter,
): void {
  const { onRouter } = gatewayNames(node.name);
  const route = (prefix: string, nextHop: string, port: string, why: string): void => {
    addNamelessRow(desired, {
      table: 'Logical_Router_Static_Route',
      title: `${router.title}: ${prefix} via ${nextHop}`,
      holder: router,
      column: 'static_routes',
      key: { ip_prefix: prefix, nexthop: nextHop, output_port: port },
      node: node.name,
      why,
    });
  };
  for (const subnet of layout.clusterSubnets) {
    const back = sameFamily(joinAddresses, subnet);
    if (back !== null) route(subnet, withoutLength(back), '', "packets to pods go to the cluster's router");
  }
  for (const nextHop of gateway.nextHops)
    route(
      isIpv6(nextHop) ? '::/0' : '0.0.0.0/0',
      nextHop,
      onRouter,
      "packets to all other addresses go to the LAN's router",
    );
  if (!traitsOf(layout).hasHostRoute || gateway.kind === 'dedicated') return;
  for (const family of [4, 6] as const) {
    const subnet = masqueradeSubnets[family];
    const nextHop = masqueradeNextHop[family];
    if (sameFamily(gateway.addresses, subnet) === null) continue;
    route(
      subnet,
      nextHop,
      onRouter,
      'the node has the same address as the gateway, so answers to the node need a next hop of their own',
    );
    if (!desired.hasTable('Static_MAC_Binding')) continue;
    const binding = desired.existing
      .all('Static_MAC_Binding')
      .find((row) => row.logical_port === onRouter && row.ip === nextHop);
    desired.add({
      table: 'Static_MAC_Binding',
      title: `${onRouter}: ${nextHop}`,
      existing: binding ?? null,
      columns: {
        logical_port: is(onRouter),
        ip: is(nextHop),
        mac: is(macOf(nextHop)),
        override_dynamic_mac: is(true),
      },
      why: 'no host answers for this next hop, so its MAC is fixed',
    });
  }
}
