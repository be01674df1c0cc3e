import { AgentError } from '../errors.ts';
import type { NorthboundFacts, OverlayLayout } from '../model/overlay.ts';
import { addressIn, isIpv6, macOf, rangeOf, withoutLength } from './addresses.ts';
import { is, keys, type WantedColumn } from './column-changes.ts';
import type { Draft, WantedRow } from './draft.ts';
import { listOf, mapOf, textOf } from './existing.ts';
import { balancerGroups, clusterRouterName, joinNames, joinSwitch } from './names.ts';
import { clusterRouterOf } from './ownership.ts';

/** The rows that all nodes share, and what follows from them. */
export interface Cluster {
  readonly layout: OverlayLayout;
  readonly router: WantedRow;
  readonly join: WantedRow;
  /** `modern`: groups of load balancers for switches and for routers; `seed`: balancers themselves. */
  readonly balancers: { readonly ofSwitches: readonly WantedRow[]; readonly ofRouters: readonly WantedRow[] };
  /** Addresses of the cluster's router on the join switch, with their length. */
  readonly joinAddresses: readonly string[];
  /** A MAC for a port: that which it has, or else a new one. */
  macFor(port: string, switchPort: string, address: string): string;
}

/** The router, the join switch and what services hang on. */
export function wantCluster(draft: Draft, facts: NorthboundFacts): Cluster {
  const { layout } = facts;
  const macFor = macSource(draft, facts);
  const found = clusterRouterOf(draft.existing);
  const name = found === null ? clusterRouterName(layout.naming, facts.centralNode) : textOf(found, 'name');
  draft.trace.push(`router=${name} ${found === null ? 'is made' : 'is there'}`);
  const options = { always_learn_from_arp_request: 'false' };
  const router = draft.want({
    table: 'Logical_Router',
    title: name,
    existing: found,
    columns: {
      name: is(name),
      external_ids: keys({ 'k8s-cluster-router': 'yes' }),
      ...(layout.naming === 'modern' && { options: keys(options) }),
    },
    absent: { external_ids: { 'k8s-cluster-router': 'yes' } },
    why: 'one router distributed over all nodes joins their subnets',
  });
  const join = draft.want({
    table: 'Logical_Switch',
    title: joinSwitch,
    existing: draft.existing.named('Logical_Switch', joinSwitch),
    columns: { name: is(joinSwitch) },
    absent: { name: joinSwitch },
    why: "the cluster's router reaches the gateways over it",
  });
  const joinAddresses = joinAddressesFor(draft, name, layout.joinSubnets, 1);
  wantJoinPort(draft, { layout, join, macFor }, router, joinAddresses, null);
  return { layout, router, join, balancers: wantBalancers(draft, layout), joinAddresses, macFor };
}

/** A router's addresses on the join switch: those that it has, or else the ones at `place` of the subnets. */
export function joinAddressesFor(
  draft: Draft,
  router: string,
  subnets: readonly string[],
  place: number,
): readonly string[] {
  const existing = draft.existing.named('Logical_Router_Port', joinNames(router).onRouter);
  const kept = listOf(existing, 'networks').map(String);
  return subnets.map(
    (subnet) => kept.find((address) => isIpv6(address) === isIpv6(subnet)) ?? freeAddress(draft, subnet, place),
  );
}

/** A router's port on the join switch, and the switch's on the router. `node`: whose gateway it is; null: the cluster's router. */
export function wantJoinPort(
  draft: Draft,
  { layout, join, macFor }: Pick<Cluster, 'layout' | 'join' | 'macFor'>,
  router: WantedRow,
  addresses: readonly string[],
  node: string | null,
): void {
  const { onRouter, onSwitch } = joinNames(router.title);
  const mac = macFor(onRouter, onSwitch, withoutLength(addresses[0] ?? ''));
  const tag = node === null ? {} : { node };
  draft.want({
    table: 'Logical_Router_Port',
    title: onRouter,
    existing: draft.existing.named('Logical_Router_Port', onRouter),
    columns: {
      name: is(onRouter),
      mac: is(mac),
      networks: is(addresses),
      ...(layout.naming === 'seed' && { external_ids: keys({ connect_to_join: 'yes' }) }),
      ...(layout.naming === 'modern' && node !== null && { options: keys({ gateway_mtu: `${layout.mtu}` }) }),
    },
    place: { row: router, column: 'ports' },
    ...tag,
    why: `${router.title} has ${addresses.map(withoutLength).join(', ')} among the routers`,
  });
  draft.want({
    table: 'Logical_Switch_Port',
    title: onSwitch,
    existing: draft.existing.named('Logical_Switch_Port', onSwitch),
    columns: routerPortColumns(layout, onSwitch, onRouter, mac),
    place: { row: join, column: 'ports' },
    // Nobody else may have taken the address meanwhile.
    exclusive: true,
    ...tag,
    why: `${joinSwitch} leads to ${router.title}`,
  });
}

/** A switch's port to a router: OVN takes the MAC from the router's port, older tools wrote it down a second time. */
export function routerPortColumns(
  { naming }: OverlayLayout,
  name: string,
  peer: string,
  mac: string,
): Record<string, WantedColumn> {
  return {
    name: is(name),
    type: is('router'),
    options: keys({ 'router-port': peer }),
    addresses: is([naming === 'modern' ? 'router' : mac]),
  };
}

/** The address at the place, or behind it the first that no port has. */
function freeAddress(draft: Draft, subnet: string, place: number): string {
  for (let next = place; ; next += 1) {
    const address = addressIn(subnet, next);
    if (draft.takenAddresses.has(address)) continue;
    draft.takenAddresses.add(address);
    return `${address}/${rangeOf(subnet).prefixLength}`;
  }
}

function wantBalancers(draft: Draft, layout: OverlayLayout): Cluster['balancers'] {
  if (layout.naming === 'seed') {
    const both = (['tcp', 'udp'] as const).map((protocol) =>
      wantTaggedBalancer(draft, `k8s-cluster-lb-${protocol}`, 'yes', protocol),
    );
    return { ofSwitches: both, ofRouters: [] };
  }
  if (!draft.hasTable('Load_Balancer_Group')) return { ofSwitches: [], ofRouters: [] };
  const [cluster, switches, routers] = Object.values(balancerGroups).map((name) =>
    draft.want({
      table: 'Load_Balancer_Group',
      title: name,
      existing: draft.existing.named('Load_Balancer_Group', name),
      columns: { name: is(name) },
      why: 'a service is one row in a group, however many nodes there are',
    }),
  ) as [WantedRow, WantedRow, WantedRow];
  return { ofSwitches: [cluster, switches], ofRouters: [cluster, routers] };
}

/** A load balancer that is found by a key of external_ids, as the tool of 2017 did. */
export function wantTaggedBalancer(
  draft: Draft,
  key: string,
  value: string,
  protocol: 'tcp' | 'udp',
  node?: string,
): WantedRow {
  const ids = { [key]: value };
  const existing = draft.existing.all('Load_Balancer').find((row) => mapOf(row, 'external_ids')[key] === value) ?? null;
  return draft.want({
    table: 'Load_Balancer',
    title: `${key}=${value}`,
    existing,
    columns: {
      // northd of OVN 26.03 aborts when a switch gets one that was made with neither a name nor a VIP while it ran, as the tool of 2017 made them.
      name: is(textOf(existing, 'name') || (value === 'yes' ? key : `${key}_${value}`)),
      external_ids: keys(ids),
      ...(protocol === 'udp' && { protocol: is([protocol]) }),
    },
    absent: { external_ids: ids },
    ...(node !== undefined && { node }),
    why: `services of ${protocol.toUpperCase()} hang on it`,
  });
}

/** Where MACs come from: a port keeps its own; the port on the other side may remember it; else it follows from the address, or is random. */
function macSource(draft: Draft, { layout, randomMacs }: NorthboundFacts): Cluster['macFor'] {
  let used = 0;
  return (port, switchPort, address) => {
    const own = textOf(draft.existing.named('Logical_Router_Port', port), 'mac');
    if (own !== '') return own;
    const [remembered = ''] = listOf(draft.existing.named('Logical_Switch_Port', switchPort), 'addresses').map(String);
    if (/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(remembered)) return remembered;
    if (layout.naming === 'modern') return macOf(address);
    const mac = randomMacs[used];
    used += 1;
    if (mac === undefined) throw new AgentError('internal', 'the planner was given too few MACs');
    return mac;
  };
}
