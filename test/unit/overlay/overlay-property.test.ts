// Random clusters, built node by node, damaged, and planned again.
import t from 'tap';
import type { NorthboundFacts, OverlayLayout, OverlayNode } from '../../../agent/model/overlay.ts';
import { registeredNodes } from '../../../agent/overlay/members/registry.ts';
import { planNorthbound } from '../../../agent/overlay/plan-northbound.ts';
import type { RowOperation } from '../../../agent/overlay/rows/row-operations.ts';
import { seededRandom } from '../ovsdb/random.ts';
import { applied, dual, dualNode, emptyNorthbound, factsOf, gatewayOf, modern, nodeOf, seed } from './cluster.ts';
import type { ModelDatabase } from './model-database.ts';

type Random = ReturnType<typeof seededRandom>;

/** Number of random clusters; the test of all of them takes a few seconds. */
const runs = 20;

const layouts: readonly OverlayLayout[] = [modern, dual, { ...seed, clusterSubnets: ['10.42.0.0/16'] }];

function randomNode(random: Random, layout: OverlayLayout, id: number): OverlayNode {
  const isDual = layout === dual;
  const addresses = [`192.0.2.${10 + id}/24`, ...(isDual ? [`2001:db8::${10 + id}/64`] : [])];
  const nextHops = ['192.0.2.1', ...(isDual ? ['2001:db8::1'] : [])].slice(0, 1 + random(2));
  const vlan = random(3) === 0 ? 1 + random(4000) : null;
  const subnets = random(3) === 0 ? [`10.42.${1 + random(9)}.0/24`] : [];
  const dedicated = {
    kind: 'dedicated',
    bridge: 'br-gweth1',
    interface: 'eth1',
    physicalNetwork: 'physnet-eth1',
  } as const;
  const special = { addresses, nextHops, vlan, subnets, isUp: random(4) > 0, ...(random(3) === 0 && dedicated) };
  const gateway = random(2) === 0 ? null : gatewayOf(id, special);
  const withoutPods = gateway !== null && random(4) === 0;
  const vip = { ...dedicated, addresses: ['192.0.2.100/24'], mac: '0a:58:c0:00:02:64', isVip: true } as const;
  const isVip = layout.naming === 'modern' && gateway !== null && !withoutPods && random(3) === 0;
  return (isDual ? dualNode : nodeOf)(id, {
    gateway: isVip ? { ...gateway, ...vip } : gateway,
    ...(withoutPods && { subnets: [] }),
    ...(random(3) > 0 && { direct: ['n1', 'n2', 'n3', 'n4'].filter(() => random(4) > 0) }),
  });
}

/**
 * Returns the nodes, each without the subnets that an earlier gateway already has: packets of a shared subnet would
 * leave by both gateways.
 */
function withoutRivals(nodes: readonly OverlayNode[]): readonly OverlayNode[] {
  const asked = new Set<string>();
  return nodes.map((node) => {
    const subnets = (node.gateway?.subnets ?? []).filter((subnet) => !asked.has(subnet));
    for (const subnet of subnets) asked.add(subnet);
    return node.gateway === null ? node : { ...node, gateway: { ...node.gateway, subnets } };
  });
}

/** Removes a random reference to a row, as a person or a crash of another tool can. */
function damage(random: Random, database: ModelDatabase): void {
  const { tables, shape } = database.rows();
  const sets = ['ports', 'static_routes', 'policies', 'nat', 'acls', 'gateway_chassis', 'load_balancer_group'];
  const places = Object.entries(tables).flatMap(([table, rows]) =>
    rows.flatMap((row) =>
      sets.flatMap((column) => {
        const held = Array.isArray(row[column]) && shape[table]?.[column]?.isReference ? row[column] : [];
        return held.map(
          (uuid): RowOperation => ({
            op: 'mutate',
            table,
            where: [['_uuid', '==', ['uuid', row._uuid]]],
            mutations: [[column, 'delete', ['set', [['uuid', String(uuid)]]]]],
          }),
        );
      }),
    ),
  );
  const chosen = places[random(places.length)];
  if (chosen !== undefined) database.transact([chosen]);
}

t.test('one plan repairs every loss and change, and a second one has nothing to do', (t) => {
  for (let number = 0; number < runs; number += 1) {
    const random = seededRandom(number);
    const layout = layouts[random(layouts.length)] ?? modern;
    const database = emptyNorthbound(random(2) === 0 ? '23.03' : '26.03');
    let nodes: readonly OverlayNode[] = [];
    try {
      for (let step = 0; step < 4; step += 1) {
        nodes = withoutRivals(
          Array.from({ length: 1 + random(4) }, (_, index) => randomNode(random, layout, index + 1)),
        );
        const leaving = registeredNodes(database.rows(), layout.owner)
          .map(({ name }) => name)
          .filter((name) => !nodes.some((node) => node.name === name));
        const special: Partial<NorthboundFacts> = { layout, nodes, leaving, centralNode: 'central' };
        applied(database, special);
        for (let times = random(3); times > 0; times -= 1) damage(random, database);
        applied(database, special);
        const again = planNorthbound(factsOf(database.rows(), special));
        if (again.changes.length > 0) throw new Error(`step ${step}: ${JSON.stringify(again.changes[0])}`);
      }
      const known = registeredNodes(database.rows(), layout.owner);
      const wanted = nodes.filter(({ subnets, gateway }) => subnets.length > 0 || gateway !== null);
      t.strictSame(
        known.map(({ name, id, systemId, subnets }) => ({ name, id, systemId, subnets })),
        wanted.map(({ name, id, systemId, subnets }) => ({ name, id, systemId, subnets })),
        `seed ${number}: the nodes are read back from the rows`,
      );
      applied(database, { layout, nodes: [], leaving: wanted.map(({ name }) => name) });
      const left = Object.entries(database.rows().tables).filter(([, rows]) => rows.length > 0);
      t.strictSame(left, [], `seed ${number}: nothing is left`);
    } catch (error) {
      t.fail(`seed ${number}: ${(error as Error).stack}`);
    }
  }
  t.end();
});
