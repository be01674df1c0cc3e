// Port names of nodes that objects of Kubernetes could also have: the node keeps its port, even if the pod was first,
// and the pod gets an Event.
import t from 'tap';
import type { OverlayLayout } from '../../../agent/model/overlay.ts';
import type { DatabaseRow } from '../../../agent/model/rows.ts';
import { reservedPorts, uplinkPort } from '../../../agent/overlay/overlay-names.ts';
import { foundIn } from '../../../agent/overlay/rows/desired-rows.ts';
import { indexRows, mapOf } from '../../../agent/overlay/rows/row-index.ts';
import { operationsOf } from '../../../agent/overlay/rows/row-operations.ts';
import { isNodeName } from '../../../agent/run/overlay/record/name-forms.ts';
import { emptyWorkload } from '../../../agent/workload/empty-workload.ts';
import { allObjectKeys, planWorkload } from '../../../agent/workload/plan-workload.ts';
import { createAddressBook } from '../../../agent/workload/pods/address-book.ts';
import { podOf } from '../workload/pods/paper-pods.ts';
import { applied, emptyNorthbound, exposure, gatewayOf, modern, nodeOf, seed } from './cluster.ts';
import type { ModelDatabase } from './model-database.ts';

const layouts: readonly OverlayLayout[] = [modern, { ...seed, clusterSubnets: ['10.42.0.0/16'] }];
const gateways = [gatewayOf(1), gatewayOf(1, { bridge: 'br-gweth1', kind: 'dedicated', interface: 'eth1' })];

for (const layout of layouts)
  for (const gateway of gateways) {
    const name = uplinkPort(layout.naming, 'n1', gateway);
    const [namespace = '', pod = ''] = name.split('_');
    t.test(`${layout.naming}: pod ${pod} of namespace ${namespace}`, (t) => {
      const database = emptyNorthbound();
      const [alone, leading] = [nodeOf(1), nodeOf(1, { gateway })];
      const book = createAddressBook();
      const taking = podOf('taking', { namespace, name: pod, nodeName: 'n1' });
      const place = (nodes: readonly (typeof alone)[]) => {
        const reported = book.settle({
          nodes,
          pods: [taking],
          gone: [],
          reserved: reservedPorts(layout, nodes),
          addressesOfRow: () => [],
        });
        const pods = new Map([[`${namespace}/${pod}`, taking]]);
        const workload = { ...emptyWorkload(), pods };
        const facts = { layout, nodes, exposure, workload, addresses: book.addresses };
        const { existing, shape } = foundIn(database.rows());
        const plan = planWorkload(facts, existing, shape, allObjectKeys(facts, existing));
        database.transact(operationsOf(plan, shape));
        return reported.faults;
      };
      applied(database, { layout, nodes: [alone] });
      t.strictSame(place([alone]), [], 'the pod has its address while the node has no gateway');
      t.equal(holderOf(database, name), 'n1');
      applied(database, { layout, nodes: [leading] });
      const port = portOf(database, name);
      t.equal(holderOf(database, name), 'ext_n1', 'the gateway has the reserved name');
      t.notOk('owner-unit' in mapOf(port, 'external_ids'), "the gateway's port has no mark of the pod");
      t.match(place([leading]), [{ reason: 'NameReserved' }], 'the pod gets an Event with NameReserved');
      t.strictSame(book.addresses.size, 0, 'the pod has no address');
      t.strictSame(portOf(database, name), port, "the gateway's port stays as it is");
      t.strictSame(applied(database, { layout, nodes: [leading] }).changes, [], 'a second plan has no changes');
      applied(database, { layout, nodes: [alone] });
      t.strictSame(place([alone]), []);
      t.equal(holderOf(database, name), 'n1', 'the pod gets its port again without the gateway');
      t.end();
    });
  }

t.test("a port of another program with a name of the agent's is refused if it is on another switch", (t) => {
  const database = emptyNorthbound();
  const nodes = [nodeOf(1, { gateway: gatewayOf(1) })];
  applied(database, { nodes: [nodeOf(1)] });
  const node = indexRows(database.rows()).named('Logical_Switch', 'n1');
  database.transact([
    { op: 'insert', table: 'Logical_Switch_Port', row: { name: 'br-ex_n1' }, 'uuid-name': 'port' },
    {
      op: 'mutate',
      table: 'Logical_Switch',
      where: [['_uuid', '==', ['uuid', node?._uuid ?? '']]],
      mutations: [['ports', 'insert', ['set', [['named-uuid', 'port']]]]],
    },
  ]);
  t.throws(() => applied(database, { nodes }), { kind: 'overlay-conflict', message: /br-ex_n1 is on n1/ });
  t.end();
});

t.test('the switch between routers has a name that no node can have', (t) => {
  t.notOk(isNodeName('join'));
  t.ok(isNodeName('join-1'));
  t.end();
});

function portOf(database: ModelDatabase, name: string): DatabaseRow | null {
  return indexRows(database.rows()).named('Logical_Switch_Port', name);
}

function holderOf(database: ModelDatabase, name: string): unknown {
  const existing = indexRows(database.rows());
  const row = existing.named('Logical_Switch_Port', name);
  return row === null ? null : existing.parentOf(row)?.row.name;
}
