// Interfaces that lead to hosts which are not pods: those that a node can attach to br-int, and those that it needs.
import t from 'tap';
import { planAttached } from '../../../../agent/overlay/gateway/own-nic.ts';
import { type AttachFacts, attachable, obstacleTo } from '../../../../agent/overlay/local/attachable.ts';
import { planLocal, planLocalRemoval } from '../../../../agent/overlay/local/local.ts';
import { operationsOf } from '../../../../agent/overlay/rows/row-operations.ts';
import { linkOf } from '../../link.ts';
import { modern, nodeOf } from '../cluster.ts';
import type { ModelDatabase } from '../model-database.ts';
import { emptyVswitch } from '../vswitch.ts';

const tap = { interface: 'tap7', logicalPort: 'db_vm1@n1' };
const nic = { interface: 'eth1', logicalPort: 'trunk:eth1@n1' };

function apply(database: ModelDatabase, attached: readonly (typeof tap)[] | null): number {
  const rows = database.rows();
  const node = nodeOf(1);
  const plan = planLocal({
    ...{ layout: modern, node, southbound: ['ssl:192.0.2.10:6642'], northbound: [], datapathType: null },
    attached,
    rows,
  });
  database.transact(operationsOf(plan, rows.shape));
  return plan.changes.length;
}

const portsOf = (database: ModelDatabase): readonly string[] =>
  (database.rows().tables.Port ?? []).map(({ name }) => String(name)).toSorted();

t.test('interfaces are attached, stay while they are not known, and are removed', (t) => {
  const database = emptyVswitch();
  apply(database, []);
  const without = portsOf(database);
  t.equal(apply(database, [tap, nic]), 4, 'a port and an interface for each');
  t.strictSame(portsOf(database), [...without, 'eth1', 'tap7'].toSorted());
  const row = database.rows().tables.Interface?.find(({ name }) => name === 'eth1');
  t.match(row?.external_ids, { 'iface-id': 'trunk:eth1@n1', owner: 'microshift-net' });
  t.equal(apply(database, [tap, nic]), 0, 'a second run changes nothing');
  t.equal(apply(database, null), 0, 'nor does one that does not know the interfaces');
  t.equal(apply(database, [tap]), 1);
  t.strictSame(portsOf(database), [...without, 'tap7'].toSorted());
  const rows = database.rows();
  database.transact(operationsOf(planLocalRemoval({ layout: modern, rows }), rows.shape));
  t.notOk(portsOf(database).includes('tap7'), 'a node that leaves keeps none');
  t.end();
});

function factsWith(database: ModelDatabase, special: Partial<AttachFacts> = {}): AttachFacts {
  const links = [linkOf('eth1', []), linkOf('eth2', ['192.0.2.11/24']), linkOf('tap7', [])];
  return { layout: modern, node: nodeOf(1), links, routes: [], sshPeer: null, rows: database.rows(), ...special };
}

t.test('interfaces that the node needs itself', (t) => {
  const database = emptyVswitch();
  apply(database, [tap]);
  const route = { family: 4, gateway: '198.51.100.1', metric: 0 } as const;
  const from = (special: Partial<AttachFacts>, name = 'eth1'): string | null =>
    obstacleTo(name, factsWith(database, special));
  t.equal(from({}), null);
  t.equal(from({}, 'tap9'), null, 'an interface that does not exist yet');
  t.equal(from({}, 'tap7'), null, 'an attached interface');
  t.equal(from({ links: [linkOf('tap7', ['198.51.100.7/24'])] }, 'tap7'), null, 'with an address that it got later');
  for (const [title, obstacle, message] of [
    ['the kernel', from({}, 'lo'), /makes it/],
    ['a bridge', from({}, 'br-ex'), /makes it/],
    ['the management port', from({}, 'ovn-k8s-mp0'), /makes it/],
    ["the node's address", from({}, 'eth2'), /it has 192\.0\.2\.11, at which the other nodes reach this one/],
    ['an address', from({ links: [linkOf('eth1', ['198.51.100.7/24'])] }), /it has the address 198\.51\.100\.7\/24/],
    ['a bond', from({ links: [linkOf('eth1', [], { master: 'bond0' })] }), /it is part of bond0/],
    ['wifi', from({ links: [linkOf('eth1', [], { kind: 'wlan' })] }), /Ethernet only/],
    ['a VLAN device', from({ links: [linkOf('eth1', [], { uppers: ['eth1.5'] })] }), /eth1\.5 is stacked on it/],
    ['a default route', from({ routes: [{ ...route, destination: '0.0.0.0/0', device: 'eth1' }] }), /a default route/],
    [
      'a route of an attached interface',
      from({ routes: [{ ...route, destination: '203.0.113.0/24', device: 'tap7' }] }, 'tap7'),
      /203\.0\.113\.0\/24 leads over it/,
    ],
  ] as const)
    t.match(obstacle, message, title);
  t.match(attachable([tap, { ...nic, interface: 'eth2' }], factsWith(database)), {
    attached: [tap],
    faults: [/^eth2 is not attached for trunk:eth1@n1: it has 192\.0\.2\.11/],
  });
  t.end();
});

t.test('the tap of a VM that has started again', (t) => {
  const database = emptyVswitch();
  apply(database, [tap]);
  const change = (table: string, name: string, row: Readonly<Record<string, string | number>>): void =>
    database.transact([{ op: 'update', table, where: [['name', '==', name]], row }]);
  const links = (special: object): Partial<AttachFacts> => ({ links: [linkOf('tap7', [], special)] });
  const faults = (facts: Partial<AttachFacts>): number => attachable([tap], factsWith(database, facts)).faults.length;
  change('Bridge', 'br-int', { datapath_type: 'netdev' });
  t.equal(faults(links({})), 0, 'before Open vSwitch has connected the first tap');
  change('Interface', 'tap7', { ofport: 5 });
  t.equal(faults(links({ promiscuous: true })), 0, 'with the tap that Open vSwitch has connected');
  t.equal(faults({ links: [] }), 0, 'while the VM does not run');
  t.match(attachable([tap], factsWith(database, links({}))), {
    attached: [],
    faults: ['tap7 is not attached for db_vm1@n1: its port still has a former device of this name, and is made again'],
  });
  change('Interface', 'tap7', { ofport: -1 });
  t.equal(faults(links({})), 0, 'while Open vSwitch looks for the device');
  change('Interface', 'tap7', { ofport: 5 });
  change('Bridge', 'br-int', { datapath_type: 'system' });
  t.equal(faults(links({})), 0, "with the kernel's data path, Open vSwitch connects the new tap itself");
  t.end();
});

t.test('a port of another bridge or of another program', (t) => {
  const database = emptyVswitch();
  apply(database, []);
  const [external] = database.rows().tables.Bridge?.filter(({ name }) => name === 'br-ex') ?? [];
  const [own] = database.rows().tables.Bridge?.filter(({ name }) => name === 'br-int') ?? [];
  for (const [name, bridge] of [
    ['eth1', external],
    ['veth1', own],
  ] as const)
    database.transact([
      { op: 'insert', table: 'Interface', row: { name }, 'uuid-name': 'i' },
      { op: 'insert', table: 'Port', row: { name, interfaces: ['set', [['named-uuid', 'i']]] }, 'uuid-name': 'p' },
      {
        op: 'mutate',
        table: 'Bridge',
        where: [['_uuid', '==', ['uuid', bridge?._uuid ?? '']]],
        mutations: [['ports', 'insert', ['set', [['named-uuid', 'p']]]]],
      },
    ]);
  t.equal(obstacleTo('eth1', factsWith(database)), 'it is a port of br-ex');
  t.equal(obstacleTo('veth1', factsWith(database)), 'it is a port of br-int that another program has made');
  t.end();
});

t.test('an attached interface is brought up', (t) => {
  const links = [linkOf('tap7', [], { up: false }), linkOf('eth1', [])];
  t.match(planAttached(['tap7', 'eth1', 'tap9'], links), [
    { command: 'address flush dev tap7 scope global' },
    { command: 'link set dev tap7 up' },
  ]);
  t.equal(planAttached(['tap7', 'eth1', 'tap9'], links).length, 2);
  t.end();
});
