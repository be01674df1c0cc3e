import t from 'tap';
import type { LocalFacts } from '../../../../agent/model/overlay.ts';
import type { DatabaseRow } from '../../../../agent/model/rows.ts';
import { planLocal, planLocalRemoval } from '../../../../agent/overlay/local/local.ts';
import { planLocalTls } from '../../../../agent/overlay/local/local-tls.ts';
import { operationsOf } from '../../../../agent/overlay/rows/row-operations.ts';
import { failure } from '../../failure.ts';
import { dedicatedNic, gatewayOf, modern, nodeOf, seed } from '../cluster.ts';
import type { ModelDatabase } from '../model-database.ts';
import { emptyVswitch } from '../vswitch.ts';

const dedicated = gatewayOf(1, dedicatedNic);

function join(database: ModelDatabase, special: Partial<LocalFacts> = {}): number {
  const rows = database.rows();
  const plan = planLocal({
    layout: modern,
    node: nodeOf(1, { gateway: gatewayOf(1) }),
    southbound: ['ssl:192.0.2.10:6642'],
    northbound: [],
    datapathType: null,
    rows,
    ...special,
  });
  database.transact(operationsOf(plan, rows.shape));
  return plan.changes.length;
}

function leave(database: ModelDatabase): void {
  const rows = database.rows();
  database.transact(operationsOf(planLocalRemoval({ layout: modern, rows }), rows.shape));
}

const namesOf = (database: ModelDatabase, table: string): readonly string[] =>
  (database.rows().tables[table] ?? []).map((row) => String(row.name)).toSorted();
const named = (database: ModelDatabase, table: string, name: string): DatabaseRow | undefined =>
  database.rows().tables[table]?.find((row) => row.name === name);

t.test('a node joins, joins again, and leaves', (t) => {
  for (const [what, special, interfaces] of [
    ['shared bridge', {}, ['br-ex', 'br-int', 'ovn-k8s-mp0']],
    ['no gateway', { node: nodeOf(1) }, ['br-ex', 'br-int', 'ovn-k8s-mp0']],
    [
      'a NIC of its own, no pods',
      { node: nodeOf(1, { subnets: [], gateway: dedicated }) },
      ['br-ex', 'br-gweth1', 'br-int', 'eth1'],
    ],
    [
      'as in 2017',
      { layout: seed, node: nodeOf(1, { name: 'kube-master-with-a-long-name', gateway: gatewayOf(1) }) },
      ['br-ex', 'br-int', 'k8s-kube-master', 'k8s-patch-br-ex-br-int', 'k8s-patch-br-int-br-ex'],
    ],
    ['userspace', { datapathType: 'netdev' }, ['br-ex', 'br-int', 'ovn-k8s-mp0']],
  ] as const) {
    const database = emptyVswitch();
    const before = database.rows();
    t.ok(join(database, special) > 0, what);
    t.strictSame(namesOf(database, 'Interface'), interfaces, `${what}: interfaces`);
    const joined = database.rows();
    t.equal(join(database, special), 0, `${what}: a second run changes nothing`);
    t.strictSame(database.rows(), joined);
    leave(database);
    const lasting = database.rows().tables;
    t.match(lasting.Open_vSwitch?.[0]?.external_ids, { rundir: '/run', hostname: /./, 'system-id': /./ });
    t.equal(
      Object.keys(lasting.Open_vSwitch?.[0]?.external_ids ?? {}).length,
      3,
      `${what}: no other external_ids of the agent remain`,
    );
    t.strictSame(lasting.Open_vSwitch?.[0]?.other_config, {}, `${what}: no setting of the agent remains`);
    for (const table of ['Bridge', 'Port', 'Interface'])
      t.strictSame(lasting[table], before.tables[table], `${what}: ${table} as before`);
  }
  t.end();
});

t.test('foreign settings stay', (t) => {
  const database = emptyVswitch();
  database.transact([
    {
      op: 'mutate',
      table: 'Open_vSwitch',
      where: [],
      mutations: [
        [
          'external_ids',
          'insert',
          [
            'map',
            [
              ['ovn-bridge-mappings', 'other:br-other,physnet:br-old'],
              ['ovn-nb', 'theirs'],
            ],
          ],
        ],
      ],
    },
  ]);
  join(database);
  const ids = (): unknown => database.rows().tables.Open_vSwitch?.[0]?.external_ids;
  t.match(ids(), {
    'ovn-bridge-mappings': 'other:br-other,physnet:br-ex',
    'ovn-nb': 'theirs',
    'ovn-encap-ip': '192.0.2.11',
  });
  t.equal(join(database), 0);
  leave(database);
  t.match(ids(), { 'ovn-nb': 'theirs' });
  t.end();
});

t.test('a setting of the administrator stays after a node has joined and left', (t) => {
  const database = emptyVswitch();
  const config = (): unknown => database.rows().tables.Open_vSwitch?.[0]?.other_config;
  const set = ['map', [['bundle-idle-timeout', '60']]] as const;
  database.transact([{ op: 'update', table: 'Open_vSwitch', where: [], row: { other_config: set } }]);
  join(database);
  t.strictSame(config(), { 'bundle-idle-timeout': '60' });
  leave(database);
  t.strictSame(config(), { 'bundle-idle-timeout': '60' });
  t.end();
});

t.test('ports of pods keep br-int', (t) => {
  const database = emptyVswitch();
  join(database);
  database.transact([
    { op: 'insert', table: 'Interface', row: { name: 'veth1' }, 'uuid-name': 'i' },
    {
      op: 'insert',
      table: 'Port',
      row: { name: 'veth1', interfaces: ['set', [['named-uuid', 'i']]] },
      'uuid-name': 'p',
    },
    {
      op: 'mutate',
      table: 'Bridge',
      where: [['name', '==', 'br-int']],
      mutations: [['ports', 'insert', ['set', [['named-uuid', 'p']]]]],
    },
  ]);
  leave(database);
  t.strictSame(namesOf(database, 'Interface'), ['br-ex', 'br-int', 'veth1']);
  t.end();
});

t.test('the management interface and br-int have fixed MACs', (t) => {
  const database = emptyVswitch();
  join(database);
  t.match(named(database, 'Interface', 'ovn-k8s-mp0'), {
    mac: ['0a:58:0a:2a:01:02'],
    external_ids: { 'iface-id': 'k8s-n1' },
  });
  t.match(named(database, 'Bridge', 'br-int'), {
    other_config: { hwaddr: '0a:58:c0:00:02:0b' },
    fail_mode: ['secure'],
  });
  t.end();
});

t.test('refusals', (t) => {
  const database = emptyVswitch();
  const node = nodeOf(1, { gateway: gatewayOf(1, { bridge: 'br-none' }) });
  t.throws(() => join(database, { node }), {
    kind: 'overlay-conflict',
    message: /the bridge br-none of the gateway does not exist/,
  });
  const taken = gatewayOf(1, { kind: 'dedicated', bridge: 'br-gw', interface: 'br-ex' });
  t.throws(() => join(database, { node: nodeOf(1, { gateway: taken }) }), {
    kind: 'overlay-conflict',
    message: /is in br-ex/,
  });
  t.end();
});

t.test('certificates at a new path are updated, and certificates of another program are refused', (t) => {
  const files = { private_key: '/old/node.pem', certificate: '/old/node.pem', ca_cert: '/pki/ca.crt' };
  const planned = (owner: string, moved: string) => {
    const row = { _uuid: 'ssl', ...files, external_ids: { owner } };
    const rows = { database: 'Open_vSwitch', shape: {}, tables: { Open_vSwitch: [{ _uuid: 'root' }], SSL: [row] } };
    const tls = { privateKey: moved, certificate: moved, caCertificate: '/pki/ca.crt' };
    return planLocalTls(rows, tls, modern.owner);
  };
  t.strictSame(planned(modern.owner, '/old/node.pem'), []);
  t.match(planned(modern.owner, '/pki/node.pem'), [
    {
      do: 'update',
      table: 'SSL',
      uuid: 'ssl',
      columns: [
        { column: 'private_key', replace: '/pki/node.pem', before: '/old/node.pem' },
        { column: 'certificate', replace: '/pki/node.pem', before: '/old/node.pem' },
      ],
    },
  ]);
  const why = failure('overlay-conflict', { message: /\/old\/node\.pem, which is not that of the overlay/ });
  t.throws(() => planned('somebody', '/pki/node.pem'), why);
  t.strictSame(planned('somebody', '/old/node.pem'), [], 'a row of another program with the same files is accepted');
  t.end();
});

t.test('settings for peers in VXLAN', (t) => {
  const database = emptyVswitch();
  const settings = (): unknown => {
    const ids = database.rows().tables.Open_vSwitch?.[0]?.external_ids as Readonly<Record<string, string>>;
    return Object.entries(ids).filter(([key]) => key.startsWith('ovn-evpn-'));
  };
  const wanted = [
    ['ovn-evpn-local-ip', '192.0.2.11'],
    ['ovn-evpn-vxlan-ports', '4789'],
  ];
  join(database);
  t.strictSame(settings(), []);
  t.equal(join(database, { hasVteps: null }), 0, 'not known, and not set');
  t.equal(join(database, { hasVteps: true }), 1);
  t.strictSame(settings(), wanted);
  t.equal(join(database, { hasVteps: true }), 0, 'a second run changes nothing');
  t.equal(join(database, { hasVteps: null }), 0, 'while the central node does not answer, they stay');
  t.equal(join(database, { hasVteps: false }), 1);
  t.strictSame(settings(), [], 'without peers, they are removed');
  join(database, { hasVteps: true });
  leave(database);
  t.strictSame(settings(), [], 'a node that leaves has none');
  t.end();
});
