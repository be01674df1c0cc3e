import { AgentError } from '../../errors.ts';
import type { NorthboundFacts, OverlayLayout } from '../../model/overlay.ts';
import { vtepPeersOf } from '../../model/overlay-peer.ts';
import { addressIn, isIpv6, macOf, rangeOf, withoutLength } from '../addresses.ts';
import { traitsOf } from '../layouts/layouts.ts';
import { balancerGroups, clusterRouterName, joinNames, joinSwitch } from '../overlay-names.ts';
import { type DesiredColumn, is, keys } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { listOf, mapOf, textOf } from '../rows/row-index.ts';
import { clusterRouterOf } from '../rows/row-ownership.ts';

/** Rows that all nodes share, and values that are derived from these rows. */
export interface Cluster {
  readonly layout: OverlayLayout;
  readonly router: PlannedRow;
  readonly join: PlannedRow;
  /**
   * Rows to which services belong: in layout `modern` the load balancer groups for switches and those for routers, in
   * layout `seed` the load balancers themselves.
   */
  readonly balancers: { readonly ofSwitches: readonly PlannedRow[]; readonly ofRouters: readonly PlannedRow[] };
  /**
   * Ranges of the addresses that no packet from outside has as its source: those of the cluster, and those of peers
   * that are reached in VXLAN.
   */
  readonly inside: readonly string[];
  /** Addresses of the cluster's router on the join switch, with their prefix length. */
  readonly joinAddresses: readonly string[];
  /**
   * Returns the MAC of a router's port: the MAC in the row of the port, or else the MAC in the row of the switch's port
   * at the other end (`switchPort`), or else a new one.
   */
  macFor(port: string, switchPort: string, address: string): string;
}

/** Plans the cluster's router, the join switch, and the load balancers or groups to which services belong. */
export function addCluster(desired: DesiredRows, facts: NorthboundFacts): Cluster {
  const { layout } = facts;
  const macFor = macSource(desired, facts);
  const found = clusterRouterOf(desired.existing);
  const name = found === null ? clusterRouterName(layout.naming, facts.centralNode) : textOf(found, 'name');
  desired.trace.push(`router=${name} ${found === null ? 'is made' : 'is there'}`);
  const options = { always_learn_from_arp_request: 'false' };
  const router = desired.add({
    table: 'Logical_Router',
    title: name,
    existing: found,
    columns: {
      name: is(name),
      external_ids: keys({ 'k8s-cluster-router': 'yes' }),
      ...(traitsOf(layout).hasRouterOptions && { options: keys(options) }),
    },
    absent: { external_ids: { 'k8s-cluster-router': 'yes' } },
    why: 'one router, distributed over all nodes, connects their subnets',
  });
  const join = desired.add({
    table: 'Logical_Switch',
    title: joinSwitch,
    existing: desired.existing.named('Logical_Switch', joinSwitch),
    columns: { name: is(joinSwitch) },
    absent: { name: joinSwitch },
    why: "the cluster's router reaches the gateways over this switch",
  });
  const joinAddresses = joinAddressesFor(desired, name, layout.joinSubnets, 1);
  addJoinPort(desired, { layout, join, macFor }, router, joinAddresses, null);
  const inside = [
    ...layout.clusterSubnets,
    ...layout.serviceSubnets,
    ...layout.joinSubnets,
    ...vtepPeersOf(facts.peers ?? []).flatMap(({ subnets }) => subnets),
  ];
  return { layout, router, join, balancers: addBalancers(desired, layout), inside, joinAddresses, macFor };
}

/**
 * Returns a router's addresses on the join switch, one for each subnet: the router's present address of the same
 * family, or else the first free address of the subnet, from address number `place` on.
 */
export function joinAddressesFor(
  desired: DesiredRows,
  router: string,
  subnets: readonly string[],
  place: number,
): readonly string[] {
  const existing = desired.existing.named('Logical_Router_Port', joinNames(router).onRouter);
  const kept = listOf(existing, 'networks').map(String);
  return subnets.map(
    (subnet) => kept.find((address) => isIpv6(address) === isIpv6(subnet)) ?? freeAddress(desired, subnet, place),
  );
}

/**
 * Plans a router's port on the join switch, and the switch's port to the router. `node` is the node of a gateway's
 * router; null for the cluster's router. `withoutTunnel` has the subnets of this node if packets from and to its pods
 * use no tunnel. The router then does not limit these packets to the MTU of tunnels.
 */
export function addJoinPort(
  desired: DesiredRows,
  { layout, join, macFor }: Pick<Cluster, 'layout' | 'join' | 'macFor'>,
  router: PlannedRow,
  addresses: readonly string[],
  node: string | null,
  withoutTunnel: readonly string[] = [],
): void {
  const { onRouter, onSwitch } = joinNames(router.title);
  const mac = macFor(onRouter, onSwitch, withoutLength(addresses[0] ?? ''));
  const tag = node === null ? {} : { node };
  desired.add({
    table: 'Logical_Router_Port',
    title: onRouter,
    existing: desired.existing.named('Logical_Router_Port', onRouter),
    columns: {
      name: is(onRouter),
      mac: is(mac),
      networks: is(addresses),
      ...(traitsOf(layout).marksJoinPorts && { external_ids: keys({ connect_to_join: 'yes' }) }),
      ...(traitsOf(layout).hasRouterOptions && node !== null && { options: mtuOptions(layout, withoutTunnel) }),
    },
    place: { row: router, column: 'ports' },
    ...tag,
    why: `${router.title} has ${addresses.map(withoutLength).join(' and ')} on the switch ${joinSwitch}`,
  });
  desired.add({
    table: 'Logical_Switch_Port',
    title: onSwitch,
    existing: desired.existing.named('Logical_Switch_Port', onSwitch),
    columns: routerPortColumns(layout, onSwitch, onRouter, mac),
    place: { row: join, column: 'ports' },
    // The port is inserted only while the join switch has the same ports as when they were read. Otherwise another
    // writer could have assigned the router's address to a port in the meantime.
    exclusive: true,
    ...tag,
    why: `the port connects the switch ${joinSwitch} to ${router.title}`,
  });
}

/** Returns the options by which a gateway's router asks senders for packets that fit into a tunnel (ovn-nb(5)). */
function mtuOptions({ mtu }: OverlayLayout, withoutTunnel: readonly string[]): DesiredColumn {
  const bypass = withoutTunnel.flatMap((subnet) => {
    const ip = isIpv6(subnet) ? 'ip6' : 'ip4';
    return [`${ip}.src == ${subnet}`, `${ip}.dst == ${subnet}`];
  });
  const limit = { gateway_mtu: `${mtu}` };
  return bypass.length === 0
    ? { keys: limit, without: ['gateway_mtu_bypass'] }
    : keys({ ...limit, gateway_mtu_bypass: bypass.join(' || ') });
}

/**
 * Returns the columns of a switch's port to a router. In layout `modern`, OVN takes the MAC from the router's port
 * (ovn-nb(5), `addresses`, `router`); layout `seed` repeats the MAC in the switch's port.
 */
export function routerPortColumns(
  layout: OverlayLayout,
  name: string,
  peer: string,
  mac: string,
): Record<string, DesiredColumn> {
  return {
    name: is(name),
    type: is('router'),
    options: keys({ 'router-port': peer }),
    addresses: is([traitsOf(layout).hasRouterAddresses ? 'router' : mac]),
  };
}

/**
 * Returns the first address of a subnet that no router's port has, with the prefix length. The search begins at address
 * number `place`.
 */
function freeAddress(desired: DesiredRows, subnet: string, place: number): string {
  for (let next = place; ; next += 1) {
    const address = addressIn(subnet, next);
    if (desired.takenAddresses.has(address)) continue;
    desired.takenAddresses.add(address);
    return `${address}/${rangeOf(subnet).prefixLength}`;
  }
}

function addBalancers(desired: DesiredRows, layout: OverlayLayout): Cluster['balancers'] {
  if (!traitsOf(layout).hasBalancerGroups) {
    const both = (['tcp', 'udp'] as const).map((protocol) =>
      addTaggedBalancer(desired, `k8s-cluster-lb-${protocol}`, 'yes', protocol),
    );
    return { ofSwitches: both, ofRouters: [] };
  }
  if (!desired.hasTable('Load_Balancer_Group')) return { ofSwitches: [], ofRouters: [] };
  const [cluster, switches, routers] = Object.values(balancerGroups).map((name) =>
    desired.add({
      table: 'Load_Balancer_Group',
      title: name,
      existing: desired.existing.named('Load_Balancer_Group', name),
      columns: { name: is(name) },
      why: 'with this group, a service needs one row for all nodes',
    }),
  ) as [PlannedRow, PlannedRow, PlannedRow];
  return { ofSwitches: [cluster, switches], ofRouters: [cluster, routers] };
}

/** Plans a load balancer that is identified by a key of external_ids, as in ovn-kubernetes of 2017. */
export function addTaggedBalancer(
  desired: DesiredRows,
  key: string,
  value: string,
  protocol: 'tcp' | 'udp',
  node?: string,
): PlannedRow {
  const ids = { [key]: value };
  const existing =
    desired.existing.all('Load_Balancer').find((row) => mapOf(row, 'external_ids')[key] === value) ?? null;
  return desired.add({
    table: 'Load_Balancer',
    title: `${key}=${value}`,
    existing,
    columns: {
      // The load balancer has a name from the start, unlike the load balancers of ovn-kubernetes of 2017. ovn-northd
      // 26.03 aborts if, while it runs, a load balancer is created without a name and without a VIP, and is then added
      // to a switch.
      name: is(textOf(existing, 'name') || (value === 'yes' ? key : `${key}_${value}`)),
      external_ids: keys(ids),
      ...(protocol === 'udp' && { protocol: is([protocol]) }),
    },
    absent: { external_ids: ids },
    ...(node !== undefined && { node }),
    why: `the load balancer has the services over ${protocol.toUpperCase()}`,
  });
}

/**
 * Returns the function that chooses the MAC of a router's port: the port's present MAC; or the MAC in the row of the
 * switch's port at the other end; or else a MAC derived from the address (layout `modern`) or a random one (layout
 * `seed`).
 */
function macSource(desired: DesiredRows, { layout, randomMacs }: NorthboundFacts): Cluster['macFor'] {
  let used = 0;
  return (port, switchPort, address) => {
    const own = textOf(desired.existing.named('Logical_Router_Port', port), 'mac');
    if (own !== '') return own;
    const [remembered = ''] = listOf(desired.existing.named('Logical_Switch_Port', switchPort), 'addresses').map(
      String,
    );
    if (/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(remembered)) return remembered;
    if (traitsOf(layout).derivesMacs) return macOf(address);
    const mac = randomMacs[used];
    used += 1;
    if (mac === undefined) throw new AgentError('internal', 'the planner was given too few MACs');
    return mac;
  };
}
