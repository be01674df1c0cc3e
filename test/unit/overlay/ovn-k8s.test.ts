// Effects of the commands of ovn-kubernetes' first tool on simulated databases, including the defects of that tool.
import t from 'tap';
import type { GatewayWords } from '../../../agent/model/ovn-k8s.ts';
import { operationsOf } from '../../../agent/overlay/rows/row-operations.ts';
import { gatewayAsked } from '../../../agent/run/overlay/ovn-k8s/asked-gateway.ts';
import { gatewayRequest, nodeRequest } from '../../../agent/run/overlay/ovn-k8s/node-request.ts';
import type { PlannedInit } from '../../../agent/run/overlay/ovn-k8s/planned-init.ts';
import { applied, emptyNorthbound } from './cluster.ts';
import type { ModelDatabase } from './model-database.ts';
import { link, type Machine, machine, planned, run } from './paper-machine.ts';

const cluster = '192.168.0.0/16';
const masterOf = ({ name }: Machine, subnet = '192.168.1.0/24', clusterIpSubnet = cluster) =>
  nodeRequest({ clusterIpSubnet, nodeName: name }, '--master-switch-subnet', subnet, true);
const minionOf = ({ name }: Machine, subnet: string) =>
  nodeRequest({ clusterIpSubnet: cluster, nodeName: name }, '--minion-switch-subnet', subnet, false);
const gatewayWords = ({ name, host }: Machine, special: Partial<GatewayWords> = {}): GatewayWords => ({
  clusterIpSubnet: cluster,
  nodeName: name,
  bridgeInterface: 'br-ex',
  physicalIp: `${host.links[0]?.addresses[0]?.address}/24`,
  defaultGw: '192.0.2.1',
  ...special,
});
const gatewayOf = (on: Machine, special: Partial<GatewayWords> = {}) => gatewayRequest(gatewayWords(on, special));
const dedicated = {
  bridgeInterface: '',
  physicalInterface: 'eth1',
  physicalIp: '198.51.100.1/24',
  defaultGw: '198.51.100.9',
};

const rows = (database: ModelDatabase, table: string) => database.rows().tables[table] ?? [];
const named = (database: ModelDatabase, table: string, name: string) =>
  rows(database, table).find((row) => row.name === name);
const changes = ({ northbound, local }: PlannedInit) =>
  [...northbound.changes, ...local.changes].map(({ title }) => title);

t.test('a second run finds no difference, regardless of the order of the commands', (t) => {
  for (const device of [{}, dedicated]) {
    const northbound = emptyNorthbound();
    const [first, second] = [machine(1), machine(2)];
    run(northbound, first, masterOf(first));
    run(northbound, second, gatewayOf(second, device));
    run(northbound, second, minionOf(second, '192.168.2.0/24'));
    run(northbound, first, gatewayOf(first, device));
    const before = [northbound, first.vswitch, second.vswitch].map((database) => database.rows());
    for (const [on, request] of [
      [first, masterOf(first)],
      [first, gatewayOf(first, device)],
      [second, minionOf(second, '192.168.2.0/24')],
      [second, gatewayOf(second, device)],
    ] as const)
      t.strictSame(changes(run(northbound, on, request)), [], on.name);
    t.strictSame(
      [northbound, first.vswitch, second.vswitch].map((database) => database.rows()),
      before,
    );
    t.equal(rows(northbound, 'NAT').length, 2, 'each gateway has one NAT rule');
    t.strictSame(
      rows(northbound, 'Logical_Router').map((row) => (row.external_ids as Record<string, string>).first_gateway),
      [undefined, 'yes', 'no'],
      'the first gateway stays the first one',
    );
  }
  t.end();
});

t.test('a range of services stays until another one is given', (t) => {
  const northbound = emptyNorthbound();
  const first = machine(1);
  const withRange = (serviceClusterIpRange: string) =>
    nodeRequest(
      { clusterIpSubnet: cluster, nodeName: first.name, serviceClusterIpRange },
      '--',
      '192.168.1.0/24',
      true,
    );
  const rejected = () => rows(northbound, 'ACL').map(({ action, match }) => `${String(action)} ${String(match)}`);
  run(northbound, first, masterOf(first));
  t.strictSame(rejected(), [], 'without a range, nothing is rejected');
  run(northbound, first, withRange('10.96.0.0/16,fd02::/112'));
  const both = ['reject ip4.dst == 10.96.0.0/16', 'reject ip6.dst == fd02::/112'];
  t.strictSame(rejected().toSorted(), both);
  for (const request of [masterOf(first), gatewayOf(first), withRange('10.96.0.0/16,fd02::/112')]) {
    run(northbound, first, request);
    t.strictSame(rejected().toSorted(), both, 'other commands keep the range');
    t.strictSame(changes(run(northbound, first, request)), []);
  }
  run(northbound, first, withRange('10.97.0.0/16'));
  t.strictSame(rejected(), ['reject ip4.dst == 10.97.0.0/16']);
  t.end();
});

t.test('a command that crashed between the two databases is completed by the next one', (t) => {
  const northbound = emptyNorthbound();
  const first = machine(1);
  const plan = planned(northbound, first, masterOf(first));
  northbound.transact(operationsOf(plan.northbound, northbound.rows().shape));
  const again = run(northbound, first, masterOf(first));
  t.strictSame(again.northbound.changes, []);
  t.strictSame(again.local.changes, plan.local.changes);
  t.end();
});

t.test('default routes lead to every gateway, and each has an address of its own', (t) => {
  const northbound = emptyNorthbound();
  const [first, second] = [machine(1), machine(2)];
  run(northbound, first, masterOf(first));
  const late = planned(northbound, second, gatewayOf(second));
  const early = run(northbound, first, gatewayOf(first));
  t.ok(early.northbound.changes.length > 0);
  t.throws(
    () => northbound.transact(operationsOf(late.northbound, northbound.rows().shape)),
    /timed out/,
    'a command that has planned from older rows writes nothing',
  );
  run(northbound, second, gatewayOf(second));
  const joined = rows(northbound, 'Logical_Router_Port').filter(({ name }) => String(name).startsWith('rtoj-GR'));
  const addresses = joined.map(({ networks }) => String(networks).split('/')[0]);
  t.equal(new Set(addresses).size, 2);
  const defaults = rows(northbound, 'Logical_Router_Static_Route').filter(
    (row) => row.ip_prefix === '0.0.0.0/0' && String(row.nexthop).startsWith('100.64.1.'),
  );
  t.strictSame(defaults.map((row) => row.nexthop).toSorted(), addresses.toSorted());
  t.end();
});

t.test('both spellings of the option rampout add routes of subnets, and an omitted subnet loses its route', (t) => {
  for (const option of ['rampoutIpSubnets', 'rampoutIpSubnet']) {
    const northbound = emptyNorthbound();
    const first = machine(1);
    run(northbound, first, masterOf(first));
    const asked = () =>
      rows(northbound, 'Logical_Router_Static_Route')
        .filter((row) => String(row.policy) === 'src-ip')
        .map((row) => row.ip_prefix)
        .toSorted();
    run(northbound, first, gatewayOf(first, { [option]: '192.168.7.0/24,192.168.8.0/24' }));
    t.strictSame(asked(), ['192.168.1.0/24', '192.168.7.0/24', '192.168.8.0/24'], option);
    run(northbound, first, masterOf(first));
    t.equal(asked().length, 3, 'another command keeps the requested subnets');
    run(northbound, first, gatewayOf(first, { [option]: '192.168.8.0/24' }));
    t.strictSame(asked(), ['192.168.1.0/24', '192.168.8.0/24']);
  }
  t.end();
});

t.test('the MTU leaves room for the tunnel, and MACs stay after the loss of a database', (t) => {
  const northbound = emptyNorthbound();
  const first = machine(1);
  const small = {
    ...first,
    host: { ...first.host, links: first.host.links.map((one) => ({ ...one, mtuBytes: 1400 })) },
  };
  run(northbound, small, masterOf(small));
  const port = () => named(first.vswitch, 'Interface', 'k8s-kube-node1');
  t.match(port(), { mtu_request: [1342] });
  const [mac, router] = [port()?.mac, named(northbound, 'Logical_Router_Port', 'rtos-kube-node1')?.mac];
  const again = { ...small, vswitch: machine(1).vswitch };
  run(northbound, again, masterOf(again));
  t.strictSame(
    named(again.vswitch, 'Interface', 'k8s-kube-node1')?.mac,
    mac,
    'the MAC stays if the database of Open vSwitch is lost',
  );
  t.equal(named(northbound, 'Logical_Router_Port', 'rtos-kube-node1')?.mac, router);
  t.end();
});

t.test('an Open vSwitch that has lost its rows gets them again, and the rows of the cluster do not change', (t) => {
  const northbound = emptyNorthbound();
  const first = machine(1);
  run(northbound, first, masterOf(first));
  run(northbound, first, gatewayOf(first, dedicated));
  const before = northbound.rows();
  const again = machine(1);
  run(northbound, again, masterOf(again));
  t.strictSame(northbound.rows(), before);
  t.equal(named(again.vswitch, 'Bridge', 'br-gweth1'), undefined);
  run(northbound, again, gatewayOf(again, dedicated));
  t.strictSame(northbound.rows(), before);
  t.ok(named(again.vswitch, 'Interface', 'k8s-patch-br-int-br-gweth1'));
  t.end();
});

t.test('a cluster with both families', (t) => {
  const northbound = emptyNorthbound();
  const first = machine(1);
  const both = `${cluster},fd01::/48`;
  const request = masterOf(first, '192.168.1.0/24,fd01:0:0:1::/64', both);
  run(northbound, first, request);
  const gateway = gatewayOf(first, {
    clusterIpSubnet: both,
    physicalIp: '192.0.2.11/24,2001:db8::11/64',
    defaultGw: '192.0.2.1,2001:db8::1',
  });
  run(northbound, first, gateway);
  t.strictSame(named(northbound, 'Logical_Router_Port', 'rtos-kube-node1')?.networks, [
    '192.168.1.1/24',
    'fd01:0:0:1::1/64',
  ]);
  t.strictSame(named(northbound, 'Logical_Router_Port', 'rtoj-kube-node1')?.networks, ['100.64.1.1/24', 'fd98::1/64']);
  t.equal(rows(northbound, 'NAT').length, 2);
  t.strictSame(changes(run(northbound, first, request)), []);
  t.end();
});

t.test('a shared bridge keeps its present or configured MAC', (t) => {
  const northbound = emptyNorthbound();
  const first = machine(1);
  run(northbound, first, masterOf(first));
  run(northbound, first, gatewayOf(first));
  t.match(named(first.vswitch, 'Bridge', 'br-ex'), { other_config: { hwaddr: '52:54:00:00:00:01' } });
  t.match(named(northbound, 'Logical_Router_Port', 'rtoe-GR_kube-node1'), { mac: '52:54:00:00:00:01' });
  t.end();
});

t.test('missing rows, and foreign rows', (t) => {
  const northbound = emptyNorthbound();
  const [first, second] = [machine(1), machine(2)];
  t.throws(() => planned(northbound, first, minionOf(first, '192.168.1.0/24')), { message: /has no cluster/ });
  run(northbound, first, masterOf(first));
  for (const [settings, message] of [
    [{ 'ovn-nb': '' }, /no external_ids:ovn-nb yet/],
    [{ 'ovn-encap-type': 'stt' }, /ovn-encap-type is stt/],
    [{ 'ovn-encap-ip': '192.0.2.99' }, /192\.0\.2\.99 is not an address of this node/],
  ] as const)
    t.throws(() => planned(northbound, machine(2, settings), minionOf(second, '192.168.2.0/24')), {
      kind: 'bad-usage',
      message,
    });
  t.throws(() => planned(northbound, machine(2, { 'system-id': 'id-of-1' }), minionOf(second, '192.168.2.0/24')), {
    message: /node kube-node1 has the system-id of this one/,
  });
  const other = emptyNorthbound();
  applied(other);
  t.throws(() => planned(other, second, minionOf(second, '192.168.2.0/24')), {
    message: /has a cluster of microshift-net overlay/,
  });
  t.throws(() => planned(northbound, second, minionOf(second, '192.168.1.0/24')), {
    message: /is taken by node kube-node1/,
  });
  t.throws(() => planned(northbound, second, { ...minionOf(second, '192.168.2.0/24'), name: 'kube-node1' }), {
    message: /node kube-node1 is chassis id-of-1, not id-of-2/,
  });
  t.end();
});

t.test('a NIC that becomes the NIC of the gateway', (t) => {
  const on = machine(1);
  const node = { encap: { types: [], addresses: ['192.0.2.11'] }, hostAddresses: [] };
  const asked = (special: Partial<GatewayWords>, host = on.host) =>
    gatewayAsked(gatewayRequest(gatewayWords(on, special)).gateway, node, host);
  t.match(asked(dedicated), { kind: 'dedicated', bridge: 'br-gweth1', interface: 'eth1', mac: '52:54:00:00:01:01' });
  t.throws(() => asked({ ...dedicated, physicalInterface: 'br-ex', physicalIp: '192.0.2.11/24', defaultGw: '' }), {
    kind: 'interface-unsuitable',
    message: /br-ex cannot be the gateway's own: a default route/,
  });
  t.throws(
    () =>
      asked(
        { ...dedicated, physicalInterface: 'br-ex', physicalIp: '192.0.2.11/24', defaultGw: '' },
        { ...on.host, routes: [] },
      ),
    { message: /it has 192\.0\.2\.11, at which the other nodes reach this one/ },
  );
  t.throws(() => asked({ bridgeInterface: 'breth9' }), { message: /the bridge breth9 does not exist/ });
  t.throws(() => asked({ defaultGw: '10.9.9.9' }), { message: /10\.9\.9\.9 is in no subnet of --physical-ip/ });
  t.throws(() => asked({ physicalIp: '192.0.2.77' }), { message: /has no prefix, and br-ex has no such address/ });
  t.strictSame(
    asked({ physicalIp: '192.0.2.11' }).addresses,
    ['192.0.2.11/24'],
    'a missing prefix length is taken from the kernel',
  );
  t.strictSame(
    asked({ physicalIp: '192.0.2.11/255.255.255.0' }).addresses,
    ['192.0.2.11/24'],
    'a netmask is read as a prefix length',
  );
  const long = gatewayAsked(
    { device: { kind: 'nic', name: 'enp129s0f1np1' }, addresses: ['198.51.100.1/24'], nextHops: [], subnets: [] },
    node,
    { ...on.host, links: [link('enp129s0f1np1', '52:54:00:00:01:01', [])] },
  );
  t.equal(long.bridge, 'br-gw129s0f1np1', "the bridge's name fits the kernel's limit");
  t.end();
});
