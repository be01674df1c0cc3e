import t from 'tap';
import type { CentralFacts } from '../../../../agent/model/overlay.ts';
import { planCentral } from '../../../../agent/overlay/cluster/central.ts';
import { operationsOf } from '../../../../agent/overlay/rows/row-operations.ts';
import { recordedShape } from '../cluster.ts';
import { ModelDatabase } from '../model-database.ts';

const tls = { privateKey: '/pki/key.pem', certificate: '/pki/cert.pem', caCertificate: '/pki/ca.pem' };
const listener = { target: 'pssl:6642:192.0.2.10', role: 'ovn-controller', inactivityProbeMs: 60_000 } as const;

function database(name: 'OVN_Northbound' | 'OVN_Southbound', table: string): ModelDatabase {
  const made = new ModelDatabase(name, recordedShape(`${name} 23.03`));
  made.transact([{ op: 'insert', table, row: {}, 'uuid-name': 'root' }]);
  return made;
}

function apply(made: ModelDatabase, special: Partial<CentralFacts>): number {
  const rows = made.rows();
  const plan = planCentral({ owner: 'microshift-net', connections: [listener], tls, rows, ...special });
  made.transact(operationsOf(plan, rows.shape));
  return plan.changes.length;
}

t.test(
  'the southbound database listens, nodes have the rights of ovn-controller, and a second run changes nothing',
  (t) => {
    const made = database('OVN_Southbound', 'SB_Global');
    t.equal(apply(made, {}), 2);
    const { tables } = made.rows();
    t.match(tables.Connection, [{ target: listener.target, role: 'ovn-controller', inactivity_probe: [60_000] }]);
    t.match(tables.SSL, [{ private_key: tls.privateKey, certificate: tls.certificate, ca_cert: tls.caCertificate }]);
    t.equal(apply(made, {}), 0);
    t.end();
  },
);

t.test('a listener that is no longer wanted is removed, and foreign listeners stay', (t) => {
  const made = database('OVN_Northbound', 'NB_Global');
  made.transact([
    { op: 'insert', table: 'Connection', row: { target: 'punix:/theirs' }, 'uuid-name': 'c' },
    {
      op: 'mutate',
      table: 'NB_Global',
      where: [],
      mutations: [['connections', 'insert', ['set', [['named-uuid', 'c']]]]],
    },
  ]);
  const plain = { ...listener, role: null };
  apply(made, { connections: [plain, { ...plain, target: 'ptcp:6641' }] });
  apply(made, { connections: [], tls: null });
  t.match(made.rows().tables, { Connection: [{ target: 'punix:/theirs' }], SSL: [] });
  t.equal(made.rows().tables.Connection?.length, 1);
  t.end();
});

t.test('refusals', (t) => {
  const empty = new ModelDatabase('OVN_Northbound', recordedShape('OVN_Northbound 23.03'));
  t.throws(() => apply(empty, {}), { kind: 'overlay-conflict', message: /not set up/ });
  const made = database('OVN_Northbound', 'NB_Global');
  made.transact([
    { op: 'insert', table: 'SSL', row: { private_key: '/a', certificate: '/theirs', ca_cert: '/c' }, 'uuid-name': 's' },
    { op: 'mutate', table: 'NB_Global', where: [], mutations: [['ssl', 'insert', ['set', [['named-uuid', 's']]]]] },
  ]);
  t.throws(() => apply(made, {}), { kind: 'overlay-conflict', message: /\/theirs, which is not that of the overlay/ });
  t.end();
});
