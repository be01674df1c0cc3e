// Addresses of hosts that are not pods, which no pod gets, and the rows of their ports beside those of pods.
import t from 'tap';
import type { OverlayPort, PortRequest } from '../../../../agent/model/overlay-port.ts';
import type { Pod } from '../../../../agent/model/workload.ts';
import { foundIn } from '../../../../agent/overlay/rows/desired-rows.ts';
import { operationsOf } from '../../../../agent/overlay/rows/row-operations.ts';
import { emptyWorkload } from '../../../../agent/workload/empty-workload.ts';
import { allObjectKeys, planWorkload } from '../../../../agent/workload/plan-workload.ts';
import { addressesOfPorts, hostsOf, podsOfPorts, withoutPorts } from '../../../../agent/workload/pods/port-hosts.ts';
import { portState } from '../../../../agent/workload/pods/port-state.ts';
import { readPolicy } from '../../../../agent/workload/policies/read-policy.ts';
import { applied, dual, dualNode, emptyNorthbound, exposure, modern, nodeOf } from '../../overlay/cluster.ts';
import { openBook, podOf } from './paper-pods.ts';

const request: PortRequest = {
  name: 'vm1',
  node: 'n1',
  interface: 'tap7',
  vlan: null,
  namespace: 'db',
  labels: { app: 'db' },
  macs: [],
  addresses: [],
};
const [macA, macB] = ['52:54:00:00:00:0a', '52:54:00:00:00:0b'] as const;
const { macs: _macs, addresses: _addresses, ...plain } = request;
const vm1: OverlayPort = { ...plain, hosts: [{ mac: macA, addresses: ['10.42.1.4'] }] };

t.test('hosts get the highest free addresses, and one host the MAC of its address', (t) => {
  t.strictSame(hostsOf(request, nodeOf(1), new Map()), [{ mac: '0a:58:0a:2a:01:fe', addresses: ['10.42.1.254'] }]);
  const taken = new Map([['10.42.1.253', 'default_a']]);
  t.strictSame(hostsOf({ ...request, macs: [macA, macB] }, dualNode(1), taken), [
    { mac: macA, addresses: ['10.42.1.254', 'fd01:0:0:1::fe'] },
    { mac: macB, addresses: ['10.42.1.252', 'fd01:0:0:1::fd'] },
  ]);
  const asked = { ...request, macs: [macA, macB], addresses: ['10.42.1.9', '10.42.1.8'] };
  t.strictSame(
    hostsOf(asked, dualNode(1), new Map()).map(({ addresses }) => addresses),
    [
      ['10.42.1.9', 'fd01:0:0:1::fe'],
      ['10.42.1.8', 'fd01:0:0:1::fd'],
    ],
    'requested addresses in the order of the MACs',
  );
  t.end();
});

t.test('addresses that a host cannot have', (t) => {
  const taken = new Map([['10.42.1.9', 'default_a']]);
  for (const [special, message] of [
    [{ addresses: ['10.42.1.9'] }, /10\.42\.1\.9 is the address of default_a/],
    [{ addresses: ['10.42.1.2'] }, /10\.42\.1\.2 is not an address for a host of n1/],
    [{ addresses: ['10.42.1.255'] }, /10\.42\.1\.255 is not an address for a host of n1/],
    [{ addresses: ['fd01::5'] }, /fd01::5 is not an address for a host of n1/],
    [{ addresses: ['10.42.1.5', '10.42.1.6'] }, /2 addresses of IPv4 are requested for 1 hosts/],
    [{ macs: [macA, macB], addresses: ['10.42.1.5', '10.42.1.5'] }, /10\.42\.1\.5 is requested twice/],
  ] as const)
    t.throws(() => hostsOf({ ...request, ...special }, nodeOf(1), taken), { kind: 'overlay-conflict', message });
  const small = nodeOf(1, { subnets: ['10.42.1.0/29'] });
  const macs = ['1', '2', '3', '4', '5'].map((last) => `52:54:00:00:00:0${last}`);
  t.throws(() => hostsOf({ ...request, macs }, small, new Map()), {
    message: /no 5 free addresses in 10\.42\.1\.0\/29/,
  });
  t.end();
});

t.test('no pod gets the address of a port', (t) => {
  const node = nodeOf(1, { subnets: ['10.42.1.0/29'], ports: [vm1] });
  const { tell, all } = openBook([node]);
  const ports = addressesOfPorts([node]);
  tell({ ports, pods: [podOf('a'), podOf('b'), podOf('c')] });
  t.strictSame(all(), { 'db/vm1@n1': '10.42.1.4/29', a: '10.42.1.3/29', b: '10.42.1.5/29', c: '10.42.1.6/29' });
  t.match(tell({ pods: [podOf('d')] }).faults, [{ reason: 'NoFreeAddress' }]);
  t.match(tell({ pods: [podOf('e', { annotations: { 'microshift-net/ip-address': '10.42.1.4' } })] }).faults, [
    { reason: 'AddressTaken', note: /db\/vm1@n1/ },
  ]);
  t.strictSame(tell({ ports }).changed, [], 'the same ports again');
  tell({ ports: new Map() });
  t.equal(all()['db/vm1@n1'], undefined);
  t.ok(Object.values(all()).includes('10.42.1.4/29'), 'the address of a removed port is free');
  t.end();
});

t.test('a port that gets the address of a pod: the pod gets another one', (t) => {
  const node = nodeOf(1);
  const { tell, all } = openBook([node]);
  tell({ pods: [podOf('a'), podOf('b')] });
  t.equal(all().b, '10.42.1.4/24');
  const { changed } = tell({ ports: addressesOfPorts([{ ...node, ports: [vm1] }]) });
  t.strictSame(changed, ['default/b']);
  t.strictSame(all(), { 'db/vm1@n1': '10.42.1.4/24', a: '10.42.1.3/24', b: '10.42.1.5/24' });
  t.end();
});

t.test('after a restart, a pod that reports the address of a port gets another one', (t) => {
  const node = nodeOf(1, { ports: [vm1] });
  const { tell, all } = openBook([node]);
  const { faults } = tell({ ports: addressesOfPorts([node]), pods: [podOf('a', { podIPs: ['10.42.1.4'] })] });
  t.match(faults, [{ reason: 'AddressReplaced' }]);
  t.not(all().a, '10.42.1.4/24');
  t.end();
});

for (const release of ['23.03', '26.03'])
  t.test(`a new port is disabled until its policies are planned, OVN ${release}`, (t) => {
    const nodes = [nodeOf(1, { ports: [vm1] })];
    const database = emptyNorthbound(release);
    applied(database, { layout: modern, nodes, centralNode: 'central', holdsPorts: true });
    const row = () => database.rows().tables.Logical_Switch_Port?.find(({ name }) => name === 'db_vm1@n1');
    t.strictSame(row()?.enabled, [false]);
    const { tell, book } = openBook(nodes);
    const pods = new Map<string, Pod>();
    tell({ ports: addressesOfPorts(nodes) });
    const spec = { podSelector: { matchLabels: { app: 'db' } } };
    const policies = new Map([['db/closed', readPolicy({ metadata: { namespace: 'db', name: 'closed' }, spec })]]);
    const write = (): number => {
      const { existing, shape } = foundIn(database.rows());
      const workload = { ...emptyWorkload(), pods, policies };
      const facts = { layout: modern, nodes, exposure, workload, addresses: book.addresses };
      const plan = planWorkload(facts, existing, shape, allObjectKeys(facts, existing));
      database.transact(operationsOf(plan, shape));
      return plan.changes.length;
    };
    write();
    t.strictSame(row()?.enabled, [false], 'a planner that does not know the port leaves its row as it is');
    for (const [key, pod] of podsOfPorts(nodes)) pods.set(key, pod);
    t.ok(write() > 0);
    t.strictSame(row()?.enabled, []);
    const group = database.rows().tables.Port_Group?.find(({ ports }) => (ports as readonly unknown[]).length > 0);
    t.strictSame(group?.ports, [row()?._uuid], 'the policy has the port');
    t.equal(write(), 0);
    t.strictSame(applied(database, { layout: modern, nodes, centralNode: 'central', holdsPorts: true }).changes, []);
    pods.clear();
    tell({ ports: new Map() });
    write();
    t.ok(row(), 'only the plan of the node removes the row');
    t.end();
  });

t.test('the settings of hosts, and pods without ports', (t) => {
  const port = { ...vm1, hosts: [{ mac: macA, addresses: ['10.42.1.4', 'fd01:0:0:1::4'] }] };
  t.match(portState(port, dualNode(1), dual, true), {
    hosts: [{ mac: macA, addresses: ['10.42.1.4/24', 'fd01:0:0:1::4/64'] }],
    gateways: ['10.42.1.1', 'fd01:0:0:1::1'],
    mtuBytes: 1442,
    isBound: true,
  });
  const pods = new Map([...podsOfPorts([nodeOf(1, { ports: [vm1] })]), ['default/a', podOf('a')]]);
  t.strictSame(
    withoutPorts(pods).map(({ name }) => name),
    ['a'],
  );
  t.match(pods.get('db/vm1@n1'), { namespace: 'db', name: 'vm1@n1', labels: { app: 'db' }, nodeName: 'n1' });
  t.end();
});
