// Logical ports of pods, with both releases of OVN and both naming schemes.
import t from 'tap';
import type { OverlayLayout, OverlayNode } from '../../../../agent/model/overlay.ts';
import type { NetworkPolicy, Pod } from '../../../../agent/model/workload.ts';
import { foundIn } from '../../../../agent/overlay/rows/desired-rows.ts';
import { operationsOf } from '../../../../agent/overlay/rows/row-operations.ts';
import { emptyWorkload } from '../../../../agent/workload/empty-workload.ts';
import type { WorkloadFacts } from '../../../../agent/workload/part.ts';
import { allObjectKeys, concernedObjectKeys, planWorkload } from '../../../../agent/workload/plan-workload.ts';
import { applied, dual, dualNode, emptyNorthbound, exposure, modern, nodeOf, seed } from '../../overlay/cluster.ts';
import type { ModelDatabase } from '../../overlay/model-database.ts';
import { openBook, podOf } from './paper-pods.ts';

const none = emptyWorkload();

/** Returns a cluster whose rows for nodes and pods the test plans and writes repeatedly. */
function clusterOf(nodes: readonly OverlayNode[], layout: OverlayLayout = modern, release?: string) {
  const database: ModelDatabase = emptyNorthbound(release);
  applied(database, { layout, nodes, centralNode: 'central' });
  const reported = openBook(nodes);
  const known = new Map<string, Pod>();
  const facts = (): WorkloadFacts => ({
    layout,
    nodes,
    exposure,
    workload: { ...none, pods: known },
    addresses: reported.book.addresses,
  });
  const write = () => {
    const { existing, shape } = foundIn(database.rows());
    const plan = planWorkload(facts(), existing, shape, allObjectKeys(facts(), existing));
    database.transact(operationsOf(plan, shape));
    // The plan also contains the address sets, which have separate tests.
    return { ...plan, changes: plan.changes.filter(({ table }) => table === 'Logical_Switch_Port') };
  };
  return {
    database,
    facts,
    write,
    put: (...pods: readonly Pod[]) => {
      for (const pod of pods) known.set(`${pod.namespace}/${pod.name}`, pod);
      reported.tell({ pods });
      return write();
    },
    drop: (key: string) => {
      known.delete(key);
      reported.tell({ gone: [key] });
      return write();
    },
    ports: (node: string) => {
      const { tables } = database.rows();
      const onNode = tables.Logical_Switch?.find(({ name }) => name === node)?.ports as readonly string[];
      return (tables.Logical_Switch_Port ?? []).filter(
        (row) => onNode.includes(row._uuid) && String(row.name).startsWith('default_'),
      );
    },
  };
}

for (const release of ['23.03', '26.03'])
  t.test(`the row of a pod, OVN ${release}`, (t) => {
    const { put, drop, ports, write } = clusterOf([dualNode(1), dualNode(2)], dual, release);
    put(podOf('a'), podOf('host', { isHostNetwork: true }), podOf('later', { nodeName: null }));
    const place = '0a:58:0a:2a:01:03 10.42.1.3 fd01:0:0:1::3';
    t.match(ports('n1'), [
      {
        name: 'default_a',
        addresses: [place],
        port_security: [place],
        options: { 'iface-id-ver': 'uid-of-a', 'requested-chassis': dualNode(1).systemId },
        external_ids: {
          namespace: 'default',
          pod: 'true',
          owner: 'microshift-net-workload',
          'owner-unit': 'pod:default/a',
        },
      },
    ]);
    t.equal(ports('n1').length, 1);
    t.strictSame(ports('n2'), []);
    t.strictSame(write().changes, [], 'a second plan has nothing to do');
    drop('default/a');
    t.strictSame(ports('n1'), []);
    t.end();
  });

t.test('the row of a pod with the names of 2017', (t) => {
  const node = nodeOf(2, { subnets: ['192.168.2.0/24'] });
  const { put, ports } = clusterOf([node], seed);
  put(podOf('sshd-2', { nodeName: 'n2' }));
  t.match(ports('n2'), [{ name: 'default_sshd-2', addresses: ['0a:58:c0:a8:02:03 192.168.2.3'] }]);
  t.end();
});

t.test('a pod that is created again keeps its row, and has a new row on another node', (t) => {
  const { put, ports } = clusterOf([nodeOf(1), nodeOf(2)]);
  put(podOf('a'));
  const [row] = ports('n1');
  const { changes } = put(podOf('a', { uid: 'second' }));
  t.match(changes, [{ do: 'update', uuid: row?._uuid }], 'the row of the pod is updated');
  t.match(ports('n1'), [{ _uuid: row?._uuid, options: { 'iface-id-ver': 'second' }, addresses: [/10\.42\.1\.4$/] }]);
  const moved = put(podOf('a', { uid: 'third', nodeName: 'n2' }));
  t.match(
    moved.changes,
    [{ do: 'delete' }, { do: 'insert' }],
    'the old row is deleted and the new one inserted in one transaction',
  );
  t.strictSame(ports('n1'), []);
  t.match(ports('n2'), [{ options: { 'iface-id-ver': 'third' }, addresses: [/10\.42\.2\.3$/] }]);
  t.end();
});

t.test('a static pod keeps its row when its copy in the API is deleted and created again', (t) => {
  const { put, drop, ports } = clusterOf([nodeOf(1)]);
  put(podOf('a', { mirrorOf: 'of-a-file' }));
  const options = { 'iface-id-ver': 'of-a-file' };
  t.match(ports('n1'), [{ options, addresses: [/10\.42\.1\.3$/] }], 'the row has the uid that the kubelet uses');
  t.strictSame(
    put(podOf('a', { uid: 'second', mirrorOf: 'of-a-file' })).changes,
    [],
    'a copy that is created again at once changes nothing',
  );
  drop('default/a');
  put(podOf('b'));
  put(podOf('a', { uid: 'third', mirrorOf: 'of-a-file' }));
  t.match(
    ports('n1'),
    [{ addresses: [/10\.42\.1\.4$/] }, { options, addresses: [/10\.42\.1\.3$/] }],
    'a copy that is created again later keeps the row',
  );
  drop('default/a');
  put(podOf('a', { uid: 'fourth', mirrorOf: 'of-another-file' }));
  t.match(ports('n1').slice(1), [{ addresses: [/10\.42\.1\.5$/] }], 'a changed static pod is another pod');
  t.end();
});

t.test('a row that ovn-kubernetes of 2017 made is taken over', (t) => {
  const cluster = clusterOf([nodeOf(1)]);
  const { put, ports, database } = cluster;
  put(podOf('a'));
  const [row] = ports('n1');
  database.transact([
    {
      op: 'update',
      table: 'Logical_Switch_Port',
      where: [['_uuid', '==', ['uuid', row?._uuid ?? '']]],
      row: {
        addresses: 'dynamic',
        port_security: ['set', []],
        options: ['map', []],
        external_ids: [
          'map',
          [
            ['namespace', 'default'],
            ['pod', 'true'],
          ],
        ],
      },
    },
  ]);
  cluster.write();
  t.strictSame(ports('n1'), [row]);
  t.end();
});

t.test('pods that get no row', (t) => {
  const { put, database, facts: known } = clusterOf([nodeOf(1)]);
  const policed = (policies: Readonly<Record<string, NetworkPolicy>>): WorkloadFacts => {
    const now = known();
    return { ...now, workload: { ...now.workload, policies: new Map(Object.entries(policies)) } };
  };
  const [router] = database.rows().tables.Logical_Switch_Port?.filter(({ name }) => name === 'stor-n1') ?? [];
  database.transact([
    {
      op: 'update',
      table: 'Logical_Switch_Port',
      where: [['_uuid', '==', ['uuid', router?._uuid ?? '']]],
      row: { name: 'br-ex_n1' },
    },
  ]);
  const plan = put(podOf('n1', { namespace: 'br-ex' }));
  t.strictSame(plan.changes, [], 'a pod with the name of another port gets no row');
  t.match(plan.trace.join('\n'), 'br-ex_n1=left out, its name is that of another port');
  const policy = {
    namespace: 'br-ex',
    name: 'deny',
    uid: 'deny',
    podSelector: {},
    policyTypes: ['Ingress'],
    ingress: [],
    egress: [],
  } as const;
  const { existing: there, shape: columns } = foundIn(database.rows());
  const { changes } = planWorkload(policed({ 'br-ex/deny': policy }), there, columns, ['policy:br-ex/deny']);
  const [group] = changes.flatMap((change) =>
    change.do === 'insert' && change.table === 'Port_Group' ? [change] : [],
  );
  t.strictSame(group?.row.ports ?? [], [], 'the policy of such a pod does not close the other port');

  const without = clusterOf([]);
  const facts = { ...without.facts(), nodes: [nodeOf(1)], addresses: new Map([['default/a', ['10.42.1.3/24']]]) };
  const { existing, shape } = foundIn(without.database.rows());
  const early = planWorkload(
    { ...facts, workload: { ...none, pods: new Map([['default/a', podOf('a')]]) } },
    existing,
    shape,
    ['pod:default/a'],
  );
  t.strictSame(early.changes, []);
  t.match(early.trace.join('\n'), 'default_a=left out, n1 has no switch yet');
  t.end();
});

t.test('the port group of a policy has a port that is inserted in the same transaction', (t) => {
  const { database, facts } = clusterOf([nodeOf(1)]);
  const known = facts();
  const deny = {
    namespace: 'default',
    name: 'deny',
    uid: 'deny',
    podSelector: {},
    policyTypes: ['Ingress'],
    ingress: [],
    egress: [],
  } as const;
  const pods = new Map([['default/a', podOf('a')]]);
  const workload = { ...known.workload, pods, policies: new Map([['default/deny', deny]]) };
  const addresses = new Map([['default/a', ['10.42.1.3/24']]]);
  const { existing, shape } = foundIn(database.rows());
  const units = ['policy:default/deny', 'pod:default/a'] as const;
  const { changes } = planWorkload({ ...known, workload, addresses }, existing, shape, units);
  const inserted = (table: string) =>
    changes.flatMap((change) => (change.do === 'insert' && change.table === table ? [change] : []));
  const [port] = inserted('Logical_Switch_Port');
  t.not(port, undefined);
  t.strictSame(
    inserted('Port_Group').map(({ row }) => row.ports),
    [[{ newRow: port?.name }]],
  );
  t.end();
});

t.test('a change of a pod concerns only this pod', (t) => {
  const { facts } = clusterOf([nodeOf(1)]);
  const units = (change: Parameters<typeof concernedObjectKeys>[0]) =>
    concernedObjectKeys(change, facts()).filter((unit) => unit.startsWith('pod:'));
  t.strictSame(units({ kind: 'Pod', now: podOf('a') }), ['pod:default/a']);
  t.strictSame(units({ kind: 'Pod', before: podOf('a') }), ['pod:default/a']);
  t.strictSame(units({ kind: 'Namespace', now: { name: 'default', uid: 'x', labels: {} } }), []);
  t.end();
});
