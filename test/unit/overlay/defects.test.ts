// Defects of ovn-kubernetes' first tool, with one test for each.
import t from 'tap';
import type { DatabaseRow } from '../../../agent/model/rows.ts';
import { planLocal } from '../../../agent/overlay/local/local.ts';
import { planLocalTls } from '../../../agent/overlay/local/local-tls.ts';
import { planNorthbound } from '../../../agent/overlay/plan-northbound.ts';
import { operationsOf } from '../../../agent/overlay/rows/row-operations.ts';
import { applied, dual, dualNode, emptyNorthbound, factsOf, gatewayOf, modern, nodeOf, seed } from './cluster.ts';
import type { ModelDatabase } from './model-database.ts';
import { emptyVswitch } from './vswitch.ts';

const layout = { ...seed, clusterSubnets: ['10.42.0.0/16'] };
const rowsOf = (database: ModelDatabase, table: string): readonly DatabaseRow[] => database.rows().tables[table] ?? [];
const named = (database: ModelDatabase, table: string, name: string): DatabaseRow | undefined =>
  rowsOf(database, table).find((row) => row.name === name);
const defaultsOf = (database: ModelDatabase): readonly unknown[] =>
  rowsOf(database, 'Logical_Router_Static_Route')
    .filter((row) => row.ip_prefix === '0.0.0.0/0' && String(row.nexthop).startsWith('100.64.1.'))
    .map((row) => row.nexthop);

t.test('a gateway that is made again gets no second NAT rule, and the first gateway stays the first', (t) => {
  const database = emptyNorthbound();
  const nodes = [nodeOf(1, { gateway: gatewayOf(1) })];
  applied(database, { layout, nodes });
  const before = database.rows();
  t.strictSame(applied(database, { layout, nodes }).changes, []);
  t.strictSame(database.rows(), before);
  t.equal(rowsOf(database, 'NAT').length, 1);
  t.match(named(database, 'Logical_Router', 'GR_n1'), { external_ids: { first_gateway: 'yes' } });
  applied(database, { layout, nodes: [nodeOf(2, { gateway: gatewayOf(2) })] });
  t.match(named(database, 'Logical_Router', 'GR_n2'), { external_ids: { first_gateway: 'no' } });
  applied(database, { layout, nodes });
  t.match(named(database, 'Logical_Router', 'GR_n1'), { external_ids: { first_gateway: 'yes' } });
  t.end();
});

t.test('duplicate NAT rules of the old tool become one', (t) => {
  const database = emptyNorthbound();
  const nodes = [nodeOf(1, { gateway: gatewayOf(1) })];
  applied(database, { layout, nodes });
  const row = { type: 'snat', logical_ip: '10.42.0.0/16', external_ip: '192.0.2.11' };
  database.transact([
    { op: 'insert', table: 'NAT', row, 'uuid-name': 'again' },
    {
      op: 'mutate',
      table: 'Logical_Router',
      where: [['name', '==', 'GR_n1']],
      mutations: [['nat', 'insert', ['set', [['named-uuid', 'again']]]]],
    },
  ]);
  t.equal(rowsOf(database, 'NAT').length, 2);
  applied(database, { layout, nodes });
  t.equal(rowsOf(database, 'NAT').length, 1);
  t.end();
});

t.test('the default route leads to every existing gateway', (t) => {
  const database = emptyNorthbound();
  applied(database, { layout, nodes: [nodeOf(1), nodeOf(2, { gateway: gatewayOf(2) })] });
  t.strictSame(defaultsOf(database), ['100.64.1.3']);
  database.transact([
    {
      op: 'insert',
      table: 'Logical_Router_Static_Route',
      row: { ip_prefix: '0.0.0.0/0', nexthop: '100.64.1.2' },
      'uuid-name': 'old',
    },
    {
      op: 'mutate',
      table: 'Logical_Router',
      where: [['name', '==', 'n1']],
      mutations: [['static_routes', 'insert', ['set', [['named-uuid', 'old']]]]],
    },
  ]);
  applied(database, { layout, nodes: [nodeOf(3, { gateway: gatewayOf(3) })] });
  t.strictSame(
    defaultsOf(database).toSorted(),
    ['100.64.1.3', '100.64.1.4'],
    'no default route leads to a gateway without a next hop',
  );
  t.end();
});

t.test('two gateways that are made at once get two addresses', (t) => {
  for (const one of [layout, modern]) {
    const database = emptyNorthbound();
    applied(database, { layout: one, nodes: [nodeOf(1)] });
    const rows = database.rows();
    // Both nodes take the lowest free number, because neither knows of the other's choice.
    const plans = ['n2', 'n3'].map((name, index) => {
      const node = nodeOf(2, { name, systemId: name, subnets: [], gateway: gatewayOf(2 + index) });
      return { node, plan: planNorthbound(factsOf(rows, { layout: one, nodes: [node] })) };
    });
    const [first, second] = plans.map(({ plan }) => operationsOf(plan, rows.shape));
    database.transact(first ?? []);
    t.throws(() => database.transact(second ?? []), /timed out/);
    applied(database, { layout: one, nodes: [plans[1]?.node ?? nodeOf(9)] });
    const addresses = rowsOf(database, 'Logical_Router_Port')
      .filter((row) => String(row.name).startsWith('rtoj-'))
      .map((row) => String(row.networks));
    t.equal(new Set(addresses).size, 3, addresses.join(', '));
  }
  t.end();
});

t.test('subnets whose packets leave by a gateway have routes', (t) => {
  for (const one of [layout, modern]) {
    const database = emptyNorthbound();
    const gateway = gatewayOf(2, { subnets: ['10.42.1.0/24', '10.42.77.0/24'] });
    applied(database, { layout: one, nodes: [nodeOf(1), nodeOf(2, { gateway })] });
    const routes = rowsOf(database, 'Logical_Router_Static_Route').filter((row) => String(row.policy) === 'src-ip');
    t.strictSame(routes.map((row) => row.ip_prefix).toSorted(), ['10.42.1.0/24', '10.42.2.0/24', '10.42.77.0/24']);
  }
  t.end();
});

t.test('the MTU is that of the uplink less the tunnel headers', (t) => {
  const small = { ...modern, mtu: 1342 };
  const database = emptyNorthbound();
  const node = nodeOf(1, { gateway: gatewayOf(1) });
  applied(database, { layout: small, nodes: [node] });
  t.match(named(database, 'Logical_Router_Port', 'rtoj-GR_n1'), { options: { gateway_mtu: '1342' } });
  const { changes } = planLocal({
    layout: small,
    node: { ...node, gateway: null },
    southbound: ['unix:/run/ovn/ovnsb_db.sock'],
    northbound: [],
    datapathType: null,
    rows: emptyVswitch().rows(),
  });
  const port = changes.find(
    (change) => change.do === 'insert' && change.title === 'ovn-k8s-mp0' && change.table === 'Interface',
  );
  t.match(port, { row: { mtu_request: [1342] } });
  t.end();
});

t.test('no database contains a secret', (t) => {
  for (const one of [layout, modern]) {
    const database = emptyVswitch();
    const rows = database.rows();
    const southbound = ['ssl:192.0.2.10:6642'];
    const node = nodeOf(1, { gateway: gatewayOf(1) });
    const { changes } = planLocal({ layout: one, node, southbound, northbound: [], datapathType: null, rows });
    const tls = { privateKey: '/pki/node.pem', certificate: '/pki/node.pem', caCertificate: '/pki/ca.crt' };
    const written = JSON.stringify([...changes, ...planLocalTls(rows, tls, one.owner)]);
    t.match(written, /"private_key":"\/pki\/node\.pem"/, 'the database has the path of the private key');
    t.notMatch(written, /token|api-server|BEGIN|http:/);
  }
  t.end();
});

t.test('a port that was lost is created again with its former MAC', (t) => {
  for (const one of [layout, modern]) {
    const database = emptyNorthbound();
    const nodes = [nodeOf(1)];
    applied(database, { layout: one, nodes });
    const mac = named(database, 'Logical_Router_Port', 'rtos-n1')?.mac;
    database.transact([
      {
        op: 'update',
        table: 'Logical_Router',
        where: [['external_ids', 'includes', ['map', [['k8s-cluster-router', 'yes']]]]],
        row: { ports: ['set', []] },
      },
    ]);
    t.equal(named(database, 'Logical_Router_Port', 'rtos-n1'), undefined);
    applied(database, { layout: one, nodes, randomMacs: ['00:00:00:ff:ff:01', '00:00:00:ff:ff:02'] });
    t.equal(named(database, 'Logical_Router_Port', 'rtos-n1')?.mac, mac, one.naming);
  }
  t.end();
});

t.test('every load balancer has a name, because ovn-northd 26.03 crashes without one', (t) => {
  const database = emptyNorthbound();
  const nodes = [nodeOf(1, { gateway: gatewayOf(1) })];
  applied(database, { layout, nodes });
  const names = (): readonly unknown[] => rowsOf(database, 'Load_Balancer').map((row) => row.name);
  const given = names();
  t.equal(new Set(given).size, 4);
  t.notOk(given.includes(''));
  database.transact([{ op: 'update', table: 'Load_Balancer', where: [], row: { name: '' } }]);
  applied(database, { layout, nodes });
  t.strictSame(names(), given, 'a load balancer of ovn-kubernetes of 2017 gets a name');
  t.end();
});

t.test('IPv6 has all that IPv4 has', (t) => {
  const database = emptyNorthbound();
  const addresses = ['192.0.2.11/24', '2001:db8::11/64'];
  const gateway = gatewayOf(1, {
    addresses,
    nextHops: ['192.0.2.1', '2001:db8::1'],
    subnets: ['10.42.7.0/24', 'fd01:0:0:7::/64'],
  });
  applied(database, { layout: dual, nodes: [dualNode(1, { gateway })] });
  const counted = (table: string, column: string): readonly number[] => {
    // A rule without an address applies to both families.
    const texts = rowsOf(database, table)
      .map((row) => String(row[column]))
      .filter((text) => !text.includes('udp.dst'));
    return [texts.filter((text) => !/:|ip6/.test(text)).length, texts.filter((text) => /:|ip6/.test(text)).length];
  };
  for (const [table, column] of [
    ['NAT', 'logical_ip'],
    ['Logical_Router_Static_Route', 'ip_prefix'],
    ['Logical_Router_Policy', 'match'],
    ['ACL', 'match'],
    ['Static_MAC_Binding', 'ip'],
  ] as const) {
    const [four, six] = counted(table, column);
    t.ok(four, `${table} has rows`);
    t.equal(six, four, table);
  }
  for (const port of ['rtoj-ovn_cluster_router', 'rtos-n1', 'rtoj-GR_n1', 'rtoe-GR_n1']) {
    const networks = named(database, 'Logical_Router_Port', port)?.networks as readonly string[];
    t.strictSame(
      networks.map((one) => one.includes(':')),
      [false, true],
      port,
    );
  }
  t.end();
});
