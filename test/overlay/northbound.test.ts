// The rows of a cluster in a real ovsdb-server with OVN's own schema.
import t, { type Test } from 'tap';
import { connect, insert } from '../../agent/drivers/ovsdb/index.ts';
import type { OverlayNode } from '../../agent/model/overlay.ts';
import { planCentral } from '../../agent/overlay/cluster/central.ts';
import { planNorthbound } from '../../agent/overlay/plan-northbound.ts';
import { missingColumns, writtenTables } from '../../agent/overlay/rows/columns.ts';
import { operationsOf } from '../../agent/overlay/rows/row-operations.ts';
import { nodeRequest } from '../../agent/run/overlay/ovn-k8s/node-request.ts';
import { missingForOvn } from '../cluster/unpacked-ovn.ts';
import { dual, dualNode, factsOf, gatewayOf, nodeOf, seed } from '../unit/overlay/cluster.ts';
import { machine, planned } from '../unit/overlay/paper-machine.ts';
import { readRows, startCentral } from './central.ts';
import {
  blocksOf,
  makeAsIn2017,
  makeGatewayAsIn2017,
  seedNodes,
  shownAfterMaster,
  shownAfterNodes,
} from './of-2017.ts';

import { type Release, releasesHere } from './releases.ts';

/** Layout of ovn-kubernetes of 2017, which has no range of services. */
const of2017 = { ...seed, serviceSubnets: [] };

const reason = missingForOvn();
if (reason !== null) t.plan(0, reason);
else for (const release of releasesHere()) t.test(release.name, (t) => onRelease(t, release));

/** Runs every test with the schemas of one release. */
function onRelease(t: Test, release: Release): void {
  t.test('the database has every row that a plan writes', async (t) => {
    const central = await startCentral(t, false, release);
    const { shape } = await readRows(central.client, 'OVN_Northbound', Object.keys(writtenTables.OVN_Northbound));
    t.strictSame(missingColumns('OVN_Northbound', shape), []);
    const gateway = gatewayOf(1, { vlan: 7, subnets: ['10.42.2.0/24'] });
    const { trace } = await central.apply({ nodes: [nodeOf(1, { gateway }), nodeOf(2)] });
    t.strictSame(
      trace.filter((line) => line.includes('absent')),
      [],
    );
  });

  t.test('the southbound database listens, and a second run has nothing to do', async (t) => {
    const { folder } = await startCentral(t, false, release);
    const client = await connect(`${folder}/sb.sock`, 60_000);
    t.teardown(() => client.close());
    await client.transact('OVN_Southbound', [insert('SB_Global', {}, 'root')]);
    const connections = [{ target: 'pssl:6642:127.0.0.1', role: 'ovn-controller', inactivityProbeMs: 60_000 }] as const;
    const tls = { privateKey: '/pki/node.pem', certificate: '/pki/node.pem', caCertificate: '/pki/ca.crt' };
    const apply = async (): Promise<number> => {
      const rows = await readRows(client, 'OVN_Southbound');
      t.strictSame(missingColumns('OVN_Southbound', rows.shape), []);
      const plan = planCentral({ owner: 'microshift-net', connections, tls, rows });
      await client.transact('OVN_Southbound', operationsOf(plan, rows.shape));
      return plan.changes.length;
    };
    t.equal(await apply(), 2);
    t.equal(await apply(), 0);
  });

  t.test('a second run has nothing to do', async (t) => {
    const central = await startCentral(t, false, release);
    for (const special of [
      { nodes: [nodeOf(1, { gateway: gatewayOf(1) }), nodeOf(2)] },
      { nodes: [nodeOf(1, { gateway: gatewayOf(1, { vlan: 7, subnets: ['10.42.2.0/24'] }) })] },
      { nodes: [nodeOf(3, { subnets: [], gateway: gatewayOf(3, { kind: 'dedicated', interface: 'eth1' }) })] },
      { leaving: ['n1'], nodes: [nodeOf(2)] },
    ]) {
      const first = await central.apply(special);
      t.not(first.changes.length, 0);
      const before = await central.read();
      const second = await central.apply(special);
      t.strictSame([second.changes, second.guards], [[], []]);
      t.strictSame(await central.read(), before);
    }
    await central.apply({ nodes: [], leaving: ['n2', 'n3'] });
    const { tables } = await central.read();
    const left = Object.entries(tables).filter(([, rows]) => rows.length > 0);
    t.strictSame(left, [], 'no row is left after the last node');
  });

  t.test('both families', async (t) => {
    const central = await startCentral(t, false, release);
    const addresses = ['192.0.2.11/24', '2001:db8::11/64'];
    const gateway = gatewayOf(1, { addresses, nextHops: ['192.0.2.1', '2001:db8::1'] });
    const special = { layout: dual, nodes: [dualNode(1, { gateway }), dualNode(2)] };
    await central.apply(special);
    t.strictSame((await central.apply(special)).changes, []);
  });

  t.test('of two simultaneous writers, one writes first and the other one adds its rows', async (t) => {
    const central = await startCentral(t, false, release);
    const other = await connect(`${central.folder}/nb.sock`, 60_000);
    t.teardown(() => other.close());
    const writers = [
      { client: central.client, nodes: [nodeOf(1, { gateway: gatewayOf(1) })] },
      { client: other, nodes: [nodeOf(2, { gateway: gatewayOf(2) })] },
    ];
    for (const layout of [undefined, { ...seed, clusterSubnets: ['10.42.0.0/16'] }]) {
      const rows = await central.read();
      const write = async ({ client, nodes }: (typeof writers)[number], read: typeof rows): Promise<string> => {
        const special = { nodes, centralNode: 'n1', ...(layout !== undefined && { layout }) };
        const plan = planNorthbound(factsOf(read, special));
        try {
          await client.transact('OVN_Northbound', operationsOf(plan, read.shape));
          return 'written';
        } catch (error) {
          return String((error as Error).message).replace(/.*\((wait \w+)\).*/s, '$1');
        }
      };
      const ends = await Promise.all(writers.map((writer) => write(writer, rows)));
      t.equal(ends.filter((end) => end === 'written').length, 1, `one of the writers succeeds: ${ends.join(', ')}`);
      t.match(
        ends.find((end) => end !== 'written'),
        /^wait /,
        'the other planner changed nothing',
      );
      for (const writer of writers) t.equal(await write(writer, await readRows(writer.client)), 'written');
      const { tables } = await central.read();
      const addresses = (tables.Logical_Router_Port ?? [])
        .filter(({ name }) => String(name).startsWith('rtoj-'))
        .map(({ networks }) => String(networks));
      t.equal(new Set(addresses).size, 3, 'each gateway has a different address');
      t.equal(tables.Logical_Router?.length, 3, 'the cluster has one router');
      await central.apply({ nodes: [], leaving: ['n1', 'n2'] });
    }
  });

  t.test('ovn-nbctl shows the same as in a cluster of ovn-kubernetes of 2017', async (t) => {
    const central = await startCentral(t, false, release);
    const [master, ...others] = seedNodes();
    const make = async (nodes: readonly OverlayNode[]): Promise<readonly string[]> => {
      await central.apply({ layout: seed, nodes, centralNode: 'kube-master' });
      return blocksOf(central.run('ovn-nbctl', 'show'));
    };
    t.strictSame(await make(master === undefined ? [] : [master]), blocksOf(shownAfterMaster));
    const shown = await make(others);
    for (const block of blocksOf(shownAfterNodes)) t.ok(shown.includes(block), block);
    t.equal(shown.length, 5, 'the cluster has a switch per node, the switch between routers, and the router');
  });

  t.test('rows of ovn-kubernetes of 2017 are adopted and not duplicated', async (t) => {
    const central = await startCentral(t, false, release);
    makeAsIn2017(central);
    const before = central.run('ovn-nbctl', 'show');
    const countOf = async (): Promise<Record<string, number>> => {
      const { tables } = await central.read();
      return Object.fromEntries(Object.entries(tables).map(([table, rows]) => [table, rows.length]));
    };
    const rowsBefore = await countOf();
    const special = { layout: of2017, nodes: seedNodes(), centralNode: 'kube-master' };
    const plan = await central.apply(special);
    t.strictSame(
      plan.changes.filter((change) => change.do !== 'update').map((change) => `${change.do} ${change.title}`),
      [],
      'only tags are added',
    );
    t.equal(central.run('ovn-nbctl', 'show'), before, 'every UUID, MAC and address is as it was');
    t.strictSame(await countOf(), rowsBefore);
    t.strictSame((await central.apply(special)).changes, []);
    const ranged = await central.apply({ ...special, layout: seed });
    t.strictSame(
      ranged.changes.map((change) => `${change.do} ${change.title}`),
      ['kube-master', 'kube-node1', 'kube-node2'].map((name) => `insert ${name}: ip4.dst == 10.43.0.0/16`),
      'with a range of services, packets to it without a service are rejected as well',
    );
  });

  t.test('a command of 2017 does not duplicate rows, and keeps the rows of other commands', async (t) => {
    const central = await startCentral(t, false, release);
    makeAsIn2017(central);
    makeGatewayAsIn2017(central);
    const on = machine(3, { 'system-id': nodeOf(3).systemId });
    const words = { clusterIpSubnet: '192.168.0.0/16', nodeName: 'kube-node2' };
    const request = nodeRequest(words, '--minion-switch-subnet', '192.168.3.0/24', false);
    const apply = async () => {
      const rows = await central.read();
      const plan = planned({ rows: () => rows }, on, request);
      const operations = operationsOf(plan.northbound, rows.shape);
      if (operations.length > 0) await central.client.transact('OVN_Northbound', operations);
      return plan;
    };
    const before = central.run('ovn-nbctl', 'show').replaceAll(/ {4}nat .*\n( {8}.*\n)+/g, '');
    const { node, northbound } = await apply();
    t.equal(node.managementMac, '82:ff:e7:83:99:a9', 'the node keeps its MAC, which the other nodes know');
    t.strictSame(
      northbound.changes.filter((change) => change.do !== 'update').map((change) => `${change.do} ${change.title}`),
      [
        'delete GR_kube-node2: 192.168.0.0/16',
        'insert kube-master: 100.64.1.2 via 100.64.1.2',
        'insert kube-master: from 192.168.3.0/24 via 100.64.1.2',
      ],
      'the gateway stays, and its duplicate translation is deleted',
    );
    t.equal(central.run('ovn-nbctl', 'show').replaceAll(/ {4}nat .*\n( {8}.*\n)+/g, ''), before);
    t.strictSame((await apply()).northbound.changes, []);
  });

  t.test('a gateway of ovn-kubernetes of 2017 is adopted, and its duplicate translation is deleted', async (t) => {
    const central = await startCentral(t, false, release);
    makeAsIn2017(central);
    makeGatewayAsIn2017(central);
    const before = central.run('ovn-nbctl', 'show').split(/^(?=switch|router)/m);
    const gateway = gatewayOf(3, { bridge: 'breth0' });
    const nodes = seedNodes().map((node) => (node.id === 3 ? { ...node, gateway } : node));
    const special = { layout: of2017, nodes, centralNode: 'kube-master' };
    const plan = await central.apply(special);
    t.strictSame(
      plan.changes.filter((change) => change.do !== 'update').map((change) => `${change.do} ${change.title}`),
      [
        'delete GR_kube-node2: 192.168.0.0/16',
        'insert kube-master: 100.64.1.2 via 100.64.1.2',
        'insert kube-master: from 192.168.3.0/24 via 100.64.1.2',
      ],
    );
    const after = central.run('ovn-nbctl', 'show').split(/^(?=switch|router)/m);
    const isGateway = (block: string): boolean => /^router .*GR_/.test(block);
    t.strictSame(
      after.filter((block) => !isGateway(block)),
      before.filter((block) => !isGateway(block)),
    );
    t.equal(after.find(isGateway)?.match(/nat /g)?.length, 1);
    t.strictSame((await central.apply(special)).changes, []);
  });
  t.end();
}
