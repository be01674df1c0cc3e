import { masqueradeOfHairpin } from '../../model/ovn-kubernetes-addresses.ts';
import type { RowReference } from '../../model/rows.ts';
import type { Service } from '../../model/workload.ts';
import { traitsOf } from '../../overlay/layouts/layouts.ts';
import { balancerGroups, gatewayNames } from '../../overlay/overlay-names.ts';
import { type DesiredColumn, has, is, keys, only } from '../../overlay/rows/column-changes.ts';
import { mapOf } from '../../overlay/rows/row-index.ts';
import { rangeKeys, rangeOptions } from '../../overlay/services/permitted-clients.ts';
import type { ObjectPlanner } from '../part.ts';
import { type Balancer, type BalancerPlace, placeName } from './balancers.ts';

/**
 * Fields that select the endpoint of a client if the service has session affinity (ovn-nb(5), Load_Balancer,
 * selection_fields). The only field is the client's address, whose hash applies from the first packet on.
 * `options:affinity_timeout` is not used. With this option, OVN learns from the first packet and drops it. The
 * retransmission already belongs to a tracked connection and is dropped as well, so that the first connection of every
 * client fails (OVN 23.03 and 26.03).
 */
const fieldsOfClient = ['ip_src'];

/** Keys of the column `options` that the agent removes from a row unless the load balancer needs them. */
const sometimes = ['affinity_timeout', 'ct_flush', 'skip_snat', ...rangeKeys];

/**
 * Plans the row of a load balancer, and the references to it: from a group if the release of OVN and the layout have
 * groups, or else from each switch and router.
 */
export function addBalancer(planner: ObjectPlanner, service: Service, balancer: Balancer): void {
  const { desired } = planner;
  const owner = `${service.namespace}/${service.name}`;
  const title = `Service_${owner}_${balancer.protocol}_${placeName(balancer.place)}`;
  const existing = desired.existing.named('Load_Balancer', title);
  const options = { ...optionsOf(balancer), ...rangeOptions(balancer.restricted, service.sourceRanges ?? []) };
  const row = planner.add({
    table: 'Load_Balancer',
    title,
    existing,
    columns: {
      name: is(title),
      protocol: is([balancer.protocol.toLowerCase()]),
      vips: exactly(balancer.vips, Object.keys(mapOf(existing, 'vips'))),
      options: exactly(options, sometimes),
      selection_fields: only(service.affinitySeconds === null ? [] : fieldsOfClient),
      external_ids: keys({ 'k8s.ovn.org/kind': 'Service', 'k8s.ovn.org/owner': owner }),
    },
    absent: { name: title },
    why: `service ${owner} is reached over ${balancer.protocol}`,
  });
  attach(planner, balancer.place, row.reference, title);
}

/** Returns true if a load balancer of this name belongs to the switch or router of one node. */
export function isOfOneNode(title: string): boolean {
  return /_node_(switch|router|external|announced)_/.test(title);
}

/**
 * Returns the desired content of a column that is a map: it contains `entries`, and lacks each key of `others` that is
 * not in `entries`. All other keys stay as they are.
 */
function exactly(entries: Readonly<Record<string, string>>, others: readonly string[]): DesiredColumn {
  return { keys: entries, without: others.filter((key) => !(key in entries)) };
}

function optionsOf(balancer: Balancer): Readonly<Record<string, string>> {
  const { place, protocol, keepsSource } = balancer;
  return {
    reject: 'true',
    event: 'false',
    hairpin_snat_ip: Object.values(masqueradeOfHairpin).join(' '),
    // Gateways answer ARP and neighbour discovery only for announced addresses. Nodes themselves answer for their own
    // addresses, and the program that assigns a load balancer address to a service also announces it.
    neighbor_responder: place.at === 'announced' ? 'reachable' : 'none',
    ...(keepsSource && { skip_snat: 'true' }),
    // With ct_flush, OVN removes the tracked connections of a removed backend. Without it, the packets of a UDP client
    // would go to that backend for as long as the client sends. TCP connections end by themselves, and may continue
    // without their service.
    ...(protocol === 'UDP' && { ct_flush: 'true' }),
  };
}

/**
 * Adds a load balancer to its groups, switches or routers. A group, switch or router that does not exist yet is
 * skipped; the plan that adds it also refers to the load balancer.
 */
function attach(planner: ObjectPlanner, place: BalancerPlace, balancer: RowReference, title: string): void {
  const { desired } = planner;
  for (const { table, name, column } of holdersOf(planner, place)) {
    const existing = desired.existing.named(table, name);
    if (existing === null) {
      desired.trace.push(`${title}=not on ${name}, which is not there`);
      continue;
    }
    desired.add({
      table,
      title: name,
      existing,
      columns: { [column]: has(balancer) },
      isShared: true,
      why: `the load balancer ${title} applies to ${name}`,
    });
  }
}

interface HolderName {
  readonly table: 'Load_Balancer_Group' | 'Logical_Switch' | 'Logical_Router';
  readonly name: string;
  readonly column: 'load_balancer';
}

function holdersOf({ layout, nodes, desired }: ObjectPlanner, place: BalancerPlace): readonly HolderName[] {
  const column = 'load_balancer';
  const onSwitch = (name: string): HolderName => ({ table: 'Logical_Switch', name, column });
  const onGateway = (node: string): HolderName => ({
    table: 'Logical_Router',
    name: gatewayNames(node).router,
    column,
  });
  if ('node' in place) return [place.at === 'switch' ? onSwitch(place.node) : onGateway(place.node)];
  const isEverywhere = place.at === 'everywhere';
  if (traitsOf(layout).hasBalancerGroups && desired.hasTable('Load_Balancer_Group')) {
    const name = isEverywhere ? balancerGroups.cluster : balancerGroups.switches;
    return [{ table: 'Load_Balancer_Group', name, column }];
  }
  const switches = nodes.filter(({ subnets }) => subnets.length > 0).map(({ name }) => onSwitch(name));
  const gateways = nodes.filter(({ gateway }) => gateway !== null && gateway.isVip !== true);
  return [...switches, ...(isEverywhere ? gateways.map(({ name }) => onGateway(name)) : [])];
}
