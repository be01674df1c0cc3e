import { masqueradeOfHairpin } from '../../model/ovn-kubernetes-addresses.ts';
import type { RowReference } from '../../model/rows.ts';
import type { Service } from '../../model/workload.ts';
import { has, is, keys, only, type WantedColumn } from '../../overlay/column-changes.ts';
import { mapOf } from '../../overlay/existing.ts';
import { balancerGroups, gatewayNames } from '../../overlay/names.ts';
import type { UnitDraft } from '../part.ts';
import { type Balancer, type BalancerPlace, placeName } from './balancers.ts';

/**
 * Fields that choose the endpoint of a client where the service asks for affinity (ovn-nb(5), Load_Balancer, selection_fields): its address alone. OVN
 * hashes them in the client's first packet already. `options:affinity_timeout` would learn from that packet and drop it, and its retransmission is part of
 * a connection by then, so that it is dropped again: the first connection of every client fails (OVN 23.03 and 26.03).
 */
const fieldsOfClient = ['ip_src'];

/** Keys that are there for some services only. */
const sometimes = ['affinity_timeout', 'ct_flush', 'skip_snat'];

/** The row of a load balancer, and its place: a group where the release and the naming have groups, else each switch and router. */
export function wantBalancer(unit: UnitDraft, service: Service, balancer: Balancer): void {
  const { draft } = unit;
  const owner = `${service.namespace}/${service.name}`;
  const title = `Service_${owner}_${balancer.protocol}_${placeName(balancer.place)}`;
  const existing = draft.existing.named('Load_Balancer', title);
  const options = optionsOf(balancer);
  const row = unit.want({
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
  attach(unit, balancer.place, row.reference, title);
}

/** Whether a balancer of this name is on the switch or the router of one node. */
export function isOfOneNode(title: string): boolean {
  return /_node_(switch|router|external|announced)_/.test(title);
}

/** These keys, and of the others none. */
function exactly(entries: Readonly<Record<string, string>>, others: readonly string[]): WantedColumn {
  return { keys: entries, without: others.filter((key) => !(key in entries)) };
}

function optionsOf(balancer: Balancer): Readonly<Record<string, string>> {
  const { place, protocol, keepsSource } = balancer;
  return {
    reject: 'true',
    event: 'false',
    hairpin_snat_ip: Object.values(masqueradeOfHairpin).join(' '),
    // Nodes answer for their own addresses, and the program that assigns a service the address of a load balancer also announces it.
    neighbor_responder: place.at === 'announced' ? 'reachable' : 'none',
    ...(keepsSource && { skip_snat: 'true' }),
    // A client of UDP would go on to talk to one that is gone, for as long as it talks. Connections of TCP end by themselves, and may outlive their entry.
    ...(protocol === 'UDP' && { ct_flush: 'true' }),
  };
}

/** Where a balancer is put; those that are not there yet are waited for by whoever plans again when they are. */
function attach(unit: UnitDraft, place: BalancerPlace, balancer: RowReference, title: string): void {
  const { draft } = unit;
  for (const { table, name, column } of holdersOf(unit, place)) {
    const existing = draft.existing.named(table, name);
    if (existing === null) {
      draft.trace.push(`${title}=not on ${name}, which is not there`);
      continue;
    }
    draft.want({
      table,
      title: name,
      existing,
      columns: { [column]: has(balancer) },
      isShared: true,
      why: `${title} is balanced there`,
    });
  }
}

interface HolderName {
  readonly table: 'Load_Balancer_Group' | 'Logical_Switch' | 'Logical_Router';
  readonly name: string;
  readonly column: 'load_balancer';
}

function holdersOf({ layout, nodes, draft }: UnitDraft, place: BalancerPlace): readonly HolderName[] {
  const column = 'load_balancer';
  const onSwitch = (name: string): HolderName => ({ table: 'Logical_Switch', name, column });
  const onGateway = (node: string): HolderName => ({
    table: 'Logical_Router',
    name: gatewayNames(node).router,
    column,
  });
  if ('node' in place) return [place.at === 'switch' ? onSwitch(place.node) : onGateway(place.node)];
  const isEverywhere = place.at === 'everywhere';
  if (layout.naming === 'modern' && draft.hasTable('Load_Balancer_Group')) {
    const name = isEverywhere ? balancerGroups.cluster : balancerGroups.switches;
    return [{ table: 'Load_Balancer_Group', name, column }];
  }
  const switches = nodes.filter(({ subnets }) => subnets.length > 0).map(({ name }) => onSwitch(name));
  const gateways = nodes.filter(({ gateway }) => gateway !== null && gateway.isVip !== true);
  return [...switches, ...(isEverywhere ? gateways.map(({ name }) => onGateway(name)) : [])];
}
