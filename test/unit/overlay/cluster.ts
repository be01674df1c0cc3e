// Simulated clusters: layouts, nodes and gateways for the planner of rows, and databases for the planned rows.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  NorthboundFacts,
  OverlayGateway,
  OverlayLayout,
  OverlayNode,
  OverlayPlan,
  ServiceExposure,
} from '../../../agent/model/overlay.ts';
import type { OverlayPeer, VtepPeer } from '../../../agent/model/overlay-peer.ts';
import type { ColumnShape, DatabaseRows, DatabaseShape } from '../../../agent/model/rows.ts';
import { macsNeeded, planNorthbound } from '../../../agent/overlay/plan-northbound.ts';
import { operationsOf } from '../../../agent/overlay/rows/row-operations.ts';
import { ModelDatabase } from './model-database.ts';

export const overlayCases = join(import.meta.dirname, '../../../../test/cases/overlay');

/** Recorded schemas of OVN's releases, limited to the tables that the planner uses. */
const recorded = JSON.parse(readFileSync(join(overlayCases, 'shapes.json'), 'utf8')) as Record<
  string,
  Record<string, Record<string, string>>
>;

export function recordedShape(name: string): DatabaseShape {
  const columnShape = (text: string): ColumnShape => ({
    kind: text.split(' ')[0] as ColumnShape['kind'],
    isReference: text.endsWith(' of rows'),
  });
  const tables = Object.entries(recorded[name] ?? {}).map(([table, columns]) => [
    table,
    Object.fromEntries(Object.entries(columns).map(([column, text]) => [column, columnShape(text)])),
  ]);
  return Object.fromEntries(tables);
}

export function emptyNorthbound(release = '23.03'): ModelDatabase {
  return new ModelDatabase('OVN_Northbound', recordedShape(`OVN_Northbound ${release}`));
}

export const modern: OverlayLayout = {
  naming: 'modern',
  clusterSubnets: ['10.42.0.0/16'],
  serviceSubnets: ['10.43.0.0/16'],
  joinSubnets: ['100.64.0.0/16'],
  mtu: 1442,
  owner: 'microshift-net',
};

export const dual: OverlayLayout = {
  ...modern,
  clusterSubnets: ['10.42.0.0/16', 'fd01::/48'],
  serviceSubnets: ['10.43.0.0/16', 'fd02::/112'],
  joinSubnets: ['100.64.0.0/16', 'fd98::/64'],
};

/** Layout of a cluster that ovn-kubernetes of 2017 made. */
export const seed: OverlayLayout = {
  ...modern,
  naming: 'seed',
  clusterSubnets: ['192.168.0.0/16'],
  joinSubnets: ['100.64.1.0/24'],
  mtu: 1400,
};

/** Exposed NodePorts, ports that ovn.yaml lists by default, and external addresses inside and outside of the LAN. */
export const exposure: ServiceExposure = {
  nodePorts: [
    { first: 30_000, last: 32_767 },
    { first: 80, last: 80 },
    { first: 443, last: 443 },
  ],
  externalRanges: ['192.0.2.192/27', '203.0.113.0/24', '2001:db8:ffff::/48'],
  fixedRanges: [],
};

/** Returns the node with the number `id` of a cluster. */
export function nodeOf(id: number, special: Partial<OverlayNode> = {}): OverlayNode {
  return {
    name: `n${id}`,
    id,
    systemId: `00000000-0000-4000-9000-${String(id).padStart(12, '0')}`,
    subnets: [`10.42.${id}.0/24`],
    encap: { types: ['geneve'], addresses: [`192.0.2.${10 + id}`] },
    managementMac: null,
    hostAddresses: [`192.0.2.${10 + id}`],
    gateway: null,
    ...special,
  };
}

export function dualNode(id: number, special: Partial<OverlayNode> = {}): OverlayNode {
  const subnets = [`10.42.${id}.0/24`, `fd01:0:0:${id}::/64`];
  return nodeOf(id, { subnets, hostAddresses: [`192.0.2.${10 + id}`, `2001:db8::${10 + id}`], ...special });
}

/** Returns the gateway of the node with the number `id`, over a bridge that it shares with the host. */
export function gatewayOf(id: number, special: Partial<OverlayGateway> = {}): OverlayGateway {
  return {
    bridge: 'br-ex',
    kind: 'shared',
    interface: null,
    physicalNetwork: 'physnet',
    mac: `52:54:00:00:00:${String(id).padStart(2, '0')}`,
    addresses: [`192.0.2.${10 + id}/24`],
    nextHops: ['192.0.2.1'],
    vlan: null,
    subnets: [],
    isUp: true,
    ...special,
  };
}

/** Values of a gateway with a NIC of its own, in a VLAN. */
export const dedicatedNic = {
  kind: 'dedicated',
  bridge: 'br-gweth1',
  interface: 'eth1',
  physicalNetwork: 'physnet-eth1',
  vlan: 7,
} as const;

/** Another cluster with both address families. */
export const west: OverlayPeer = {
  name: 'west',
  nextHops: ['192.0.2.50', '2001:db8::50'],
  subnets: ['10.45.0.0/16', 'fd03::/48'],
  serviceSubnets: ['10.46.0.0/16'],
};

/** Subnet behind an appliance that is reached in VXLAN. */
export const f5: VtepPeer = {
  name: 'f5',
  nextHops: [],
  subnets: ['10.129.4.0/24'],
  serviceSubnets: [],
  vtep: { address: '192.0.2.9', vni: 0, mac: '0a:58:0a:81:04:02' },
};

export function factsOf(rows: DatabaseRows, special: Partial<NorthboundFacts> = {}): NorthboundFacts {
  const { nodes = [nodeOf(1)] } = special;
  return {
    layout: modern,
    leaving: [],
    centralNode: nodes.toSorted((a, b) => a.id - b.id)[0]?.name ?? 'n1',
    rows,
    randomMacs: Array.from(
      { length: macsNeeded(nodes.length) },
      (_, index) => `00:00:00:aa:00:${(16 + index).toString(16)}`,
    ),
    ...special,
    nodes,
  };
}

/** Plans the rows and writes them to the database; returns the plan. */
export function applied(database: ModelDatabase, special: Partial<NorthboundFacts> = {}): OverlayPlan {
  const rows = database.rows();
  const plan = planNorthbound(factsOf(rows, special));
  database.transact(operationsOf(plan, rows.shape));
  return plan;
}
