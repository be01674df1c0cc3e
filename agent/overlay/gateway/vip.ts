import type { NorthboundFacts, OverlayGateway, OverlayNode } from '../../model/overlay.ts';
import type { DatabaseRow } from '../../model/rows.ts';
import { isIpv6, sameFamily, withoutLength } from '../addresses.ts';
import type { Cluster } from '../cluster/cluster-rows.ts';
import { addOutsideGuards } from '../cluster/isolation.ts';
import { vipNames } from '../overlay-names.ts';
import { is, keys } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { addNamelessRow } from '../rows/nameless-rows.ts';
import { mapOf, textOf } from '../rows/row-index.ts';
import { tagKeys } from '../rows/tag-keys.ts';
import { addTranslation, addUplink } from './uplink-rows.ts';
import { vipOrder } from './vip-order.ts';

/**
 * VIP: gateway address that several nodes share. Of these nodes, the first in the order of preference that answers uses
 * it.
 */
export interface Vip {
  readonly gateway: OverlayGateway;
  /** Nodes that share the address, in the order of their numbers. */
  readonly nodes: readonly OverlayNode[];
}

/** Largest priority of a chassis (ovn-nb(5), Gateway_Chassis). */
const highestPriority = 32_767;
/** Priority of the central node while another node is first. */
const lowestPriority = 0;

/** Facts about the cluster on which the order of a VIP's nodes depends. */
type VipSituation = Pick<NorthboundFacts, 'centralNode' | 'sharedAddresses'>;

/** Returns the priority of a node at a place in the order of preference; the nodes after the first are by number. */
function priorityAt(place: number, { id, name }: OverlayNode, centralNode: string): number {
  if (place === 0) return highestPriority;
  return name === centralNode ? lowestPriority : highestPriority - id;
}

/** Returns true if a node of the VIP answers; if no node does, packets leave by other gateways. */
export function isAnyUp({ nodes }: Vip): boolean {
  return nodes.some(({ gateway }) => gateway?.isUp === true);
}

/** Returns the VIPs of the nodes, one for each shared address. */
export function vipsOf(nodes: readonly OverlayNode[]): readonly Vip[] {
  const groups = new Map<string, { gateway: OverlayGateway; nodes: OverlayNode[] }>();
  for (const node of nodes.toSorted((a, b) => a.id - b.id)) {
    const { gateway } = node;
    if (gateway?.isVip !== true) continue;
    const key = gateway.addresses.join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { gateway, nodes: [node] });
    else group.nodes.push(node);
  }
  return [...groups.values()];
}

/**
 * Plans the interval of BFD on the tunnels between the nodes of VIPs (ovn-nb(5), `bfd-min-rx` and `bfd-min-tx` in
 * NB_Global.options). A tunnel fails after three missing packets, which is the default of `bfd-mult`. The options exist
 * once for the whole cluster, and stay when the setting of the interval is removed.
 */
export function addBfdInterval(desired: DesiredRows, intervalMs: number): void {
  const root = desired.existing.all('NB_Global')[0] ?? null;
  if (root === null) return;
  desired.add({
    table: 'NB_Global',
    title: 'BFD',
    existing: root,
    columns: { options: keys({ 'bfd-min-rx': `${intervalMs}`, 'bfd-min-tx': `${intervalMs}` }) },
    isShared: true,
    why: `nodes whose gateways share an address monitor each other every ${intervalMs} ms (overlay.bfdIntervalMs)`,
  });
}

/**
 * Plans the outside port of the cluster's router for a VIP. One chassis at a time has the port: the ovn-controllers of
 * the VIP's nodes monitor each other over the tunnels by BFD. If the chassis with a higher priority fail, the next
 * chassis takes over the port (ovn-nb(5), Gateway_Chassis; ovn-architecture(7), "High Availability for Distributed
 * Gateway Ports"). OVN gives the port back to a chassis with a higher priority as soon as BFD is up, even if this
 * chassis has no flows yet. The priorities therefore change while a failed chassis is away (vip-order.ts).
 */
export function addVip(
  desired: DesiredRows,
  cluster: Cluster,
  vip: Vip,
  { centralNode, sharedAddresses }: VipSituation,
): void {
  const { gateway, nodes } = vip;
  const names = nodes.map(({ name }) => name);
  // The rows of a VIP, except those of Gateway_Chassis, name the VIP's first node in external_ids. They stay as long as
  // one of its nodes has the VIP.
  const node = nodes[0]?.name ?? '';
  const { outside, onRouter, onSwitch } = vipNames(gateway);
  const titleOf = ({ systemId }: OverlayNode): string => `${onRouter}-${systemId}`;
  const rowOf = (one: OverlayNode): DatabaseRow | null => desired.existing.named('Gateway_Chassis', titleOf(one));
  const priorityOf = (one: OverlayNode): number | null => {
    const row = rowOf(one);
    return row === null ? null : Number(textOf(row, 'priority'));
  };
  const marks = nodes.flatMap((one) => mapOf(rowOf(one), 'external_ids')[tagKeys.askedAtMove] ?? []);
  const order = vipOrder({
    nodes,
    centralNode,
    port: onRouter,
    priorityOf,
    asked: Number(textOf(desired.existing.all('NB_Global')[0] ?? null, 'nb_cfg')),
    askedAtMove: marks[0] === undefined ? null : Number(marks[0]),
    state: sharedAddresses ?? null,
  });
  const preferred = order.nodes.map(({ name }) => name);
  desired.trace.push(
    `egress=${gateway.addresses.join(' ')} by the first of ${preferred.join(', ')} that answers: ${order.reason}`,
  );
  const outsideSwitch = desired.add({
    table: 'Logical_Switch',
    title: outside,
    existing: desired.existing.named('Logical_Switch', outside),
    columns: { name: is(outside) },
    absent: { name: outside },
    node,
    why: `the switch stands for the LAN on which ${names.join(' or ')} has ${gateway.addresses.join(' and ')}`,
  });
  addUplinks(desired, vip, outsideSwitch);
  const port = desired.add({
    table: 'Logical_Router_Port',
    title: onRouter,
    existing: desired.existing.named('Logical_Router_Port', onRouter),
    columns: { name: is(onRouter), mac: is(gateway.mac), networks: is(gateway.addresses) },
    place: { row: cluster.router, column: 'ports' },
    exclusive: true,
    node,
    why: `one node of ${names.join(', ')} at a time answers for ${gateway.addresses.map(withoutLength).join(' and ')}`,
  });
  for (const [index, one] of order.nodes.entries()) {
    const { askedAtMove } = order;
    const mark =
      index === 0 && askedAtMove !== null
        ? keys({ [tagKeys.askedAtMove]: `${askedAtMove}` })
        : { keys: {}, without: [tagKeys.askedAtMove] };
    desired.add({
      table: 'Gateway_Chassis',
      title: titleOf(one),
      existing: rowOf(one),
      columns: {
        name: is(titleOf(one)),
        chassis_name: is(one.systemId),
        priority: is(priorityAt(index, one, centralNode)),
        external_ids: mark,
      },
      place: { row: port, column: 'gateway_chassis' },
      node: one.name,
      why:
        index === 0
          ? `${one.name} has the shared address ${one.name === centralNode && nodes.length > 1 ? 'until another node works' : 'unless it fails'}`
          : `${one.name} takes over the shared address after a failure of ${preferred.slice(0, index).join(' and ')}`,
    });
  }
  desired.add({
    table: 'Logical_Switch_Port',
    title: onSwitch,
    existing: desired.existing.named('Logical_Switch_Port', onSwitch),
    columns: {
      name: is(onSwitch),
      type: is('router'),
      options: keys({ 'router-port': onRouter, 'nat-addresses': 'router' }),
      addresses: is(['router']),
    },
    place: { row: outsideSwitch, column: 'ports' },
    node,
    why: `the port connects ${outside} to the cluster's router`,
  });
  addOutsideGuards(desired, cluster.inside, cluster.router, onRouter, node);
  if (isAnyUp(vip)) addWays(desired, cluster, vip, onRouter);
}

/**
 * Plans one localnet port for each physical network, because dedicated NICs belong to networks with different names on
 * different nodes.
 */
function addUplinks(desired: DesiredRows, { nodes }: Vip, outsideSwitch: PlannedRow): void {
  const seen = new Set<string>();
  for (const { name, gateway } of nodes) {
    if (gateway === null || seen.has(gateway.physicalNetwork)) continue;
    seen.add(gateway.physicalNetwork);
    addUplink(desired, 'modern', name, gateway, outsideSwitch);
  }
}

/**
 * Plans the source NAT and routes of a VIP. The packets of a subnet leave by the VIP if the subnet was requested for
 * it, or if no other route applies to the subnet.
 */
function addWays(desired: DesiredRows, { layout, router }: Cluster, { gateway, nodes }: Vip, port: string): void {
  const node = nodes[0]?.name ?? '';
  for (const subnet of layout.clusterSubnets) {
    const external = sameFamily(gateway.addresses, subnet);
    if (external === null) continue;
    const why = `packets from ${subnet} leave the cluster with the shared address ${withoutLength(external)}`;
    addTranslation(desired, router, subnet, external, node, why);
  }
  for (const hop of gateway.nextHops) {
    const asked = [...new Set(nodes.flatMap((one) => one.gateway?.subnets ?? []))];
    const prefixes = [isIpv6(hop) ? '::/0' : '0.0.0.0/0', ...asked.filter((one) => isIpv6(one) === isIpv6(hop))];
    for (const [index, prefix] of prefixes.entries()) {
      const isAsked = index > 0;
      addNamelessRow(desired, {
        table: 'Logical_Router_Static_Route',
        title: `${router.title}: ${isAsked ? 'from ' : ''}${prefix} via ${hop}`,
        holder: router,
        column: 'static_routes',
        key: { ip_prefix: prefix, nexthop: hop, policy: isAsked ? 'src-ip' : '', output_port: port },
        columns: { external_ids: isAsked ? keys({ [tagKeys.asked]: 'yes' }) : { keys: {}, without: [tagKeys.asked] } },
        node,
        why: isAsked
          ? `packets from ${prefix} leave by the gateway with the shared address, as requested`
          : 'packets of nodes without a gateway leave by the gateway with the shared address',
      });
    }
  }
}
