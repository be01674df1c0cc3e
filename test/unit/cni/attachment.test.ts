import t from 'tap';
import { type Attachment, interfaceIds, linkOf, nodeLines, podLines, podMtuOf } from '../../../agent/cni/attachment.ts';
import { carriedFault } from '../../../agent/cni/carried-addresses-fault.ts';
import { checkFaults, type PortState } from '../../../agent/cni/check.ts';
import { isSamePod, readNodePod } from '../../../agent/cni/node-pod.ts';
import { successResult } from '../../../agent/cni/result.ts';

const containerId = 'a2f5796e82e9286d7f56540585b6040b3a743093c46ea34364212cf1afd42a32';
const attachment: Attachment = {
  containerId,
  netns: '/run/netns/a',
  ifname: 'eth0',
  link: linkOf(containerId),
  logicalPort: 'default_sshd-2',
  uid: 'u-1',
  network: {
    addresses: ['10.42.1.3/24', 'fd01:0:0:2::3/64'],
    mac: '0a:58:0a:2a:01:03',
    gateways: ['10.42.1.1', 'fd01:0:0:2::1'],
    routes: [
      { destination: '10.42.0.0/16', nextHop: '10.42.1.1' },
      { destination: 'fd01::/48', nextHop: 'fd01:0:0:2::1' },
    ],
  },
  mtu: 1400,
};

t.test('lines for ip(8)', (t) => {
  t.strictSame(nodeLines(attachment), [
    'link add name a2f5796e82e9286 mtu 1400 type veth peer name eth0 mtu 1400 netns /run/netns/a',
    'link set dev a2f5796e82e9286 alias "microshift-net pod" arp off addrgenmode none up',
  ]);
  t.strictSame(podLines(attachment), [
    'link set dev eth0 address 0a:58:0a:2a:01:03 up',
    'address add 10.42.1.3/24 dev eth0',
    'address add fd01:0:0:2::3/64 dev eth0 nodad',
    'route add 10.42.0.0/16 via 10.42.1.1 dev eth0',
    'route add fd01::/48 via fd01:0:0:2::1 dev eth0',
    'route add default via 10.42.1.1 dev eth0',
    'route add default via fd01:0:0:2::1 dev eth0',
  ]);
  t.equal(linkOf('short'), 'short');
  t.end();
});

t.test('a pod sends packets of its MTU to pods and services, and smaller ones to all others', (t) => {
  const large = { tunnelMtu: 1442, subnets: ['10.42.0.0/16', 'fd01::/48'], node: ['10.42.1.2'] };
  const routes = [...attachment.network.routes, { destination: '100.64.0.0/16', nextHop: '10.42.1.1' }];
  const wide = { ...attachment, network: { ...attachment.network, routes }, mtu: 1500, large };
  t.strictSame(podLines(wide).slice(3), [
    'route add 10.42.0.0/16 via 10.42.1.1 dev eth0',
    'route add fd01::/48 via fd01:0:0:2::1 dev eth0',
    'route add 100.64.0.0/16 via 10.42.1.1 dev eth0 mtu 1442',
    'route add default via 10.42.1.1 dev eth0 mtu 1442',
    'route add default via fd01:0:0:2::1 dev eth0 mtu 1442',
    'route add 10.42.1.2 dev eth0 mtu 1442',
  ]);
  t.equal(podMtuOf(interfaceIds(wide), 1442), 1500);
  t.equal(podMtuOf(interfaceIds(attachment), 1442), 1442);
  t.end();
});

t.test('the result of ADD in each version of the CNI specification', (t) => {
  const of = (version: Parameters<typeof successResult>[0]) =>
    JSON.parse(successResult(version, attachment, undefined));
  t.strictSame(of('1.1.0'), {
    cniVersion: '1.1.0',
    interfaces: [
      { name: 'a2f5796e82e9286', mtu: 1400 },
      { name: 'eth0', mac: '0a:58:0a:2a:01:03', mtu: 1400, sandbox: '/run/netns/a' },
    ],
    ips: [
      { address: '10.42.1.3/24', gateway: '10.42.1.1', interface: 1 },
      { address: 'fd01:0:0:2::3/64', gateway: 'fd01:0:0:2::1', interface: 1 },
    ],
    routes: [
      { dst: '10.42.0.0/16', gw: '10.42.1.1' },
      { dst: 'fd01::/48', gw: 'fd01:0:0:2::1' },
      { dst: '0.0.0.0/0', gw: '10.42.1.1' },
      { dst: '::/0', gw: 'fd01:0:0:2::1' },
    ],
    dns: {},
  });
  t.strictSame(of('1.0.0').interfaces[0], { name: 'a2f5796e82e9286' }, 'results before version 1.1 have no MTU');
  for (const version of ['0.3.1', '0.4.0'] as const)
    t.strictSame(of(version).ips[1], {
      version: '6',
      address: 'fd01:0:0:2::3/64',
      gateway: 'fd01:0:0:2::1',
      interface: 1,
    });
  t.match(JSON.parse(successResult('1.1.0', attachment, { search: ['x'] })), { dns: { search: ['x'] } });
  t.end();
});

const port: PortState = {
  name: attachment.link,
  externalIds: { ...interfaceIds(attachment), 'ovn-installed': 'true' },
  ofport: 7,
  error: null,
};
const addressesSeen = {
  ifname: 'eth0',
  flags: ['BROADCAST', 'UP'],
  mtu: 1400,
  address: '0a:58:0a:2a:01:03',
  addr_info: [
    { local: '10.42.1.3', prefixlen: 24 },
    { local: 'fd01:0:0:2::3', prefixlen: 64 },
  ],
};
const routesSeen = [
  [
    { dst: 'default', gateway: '10.42.1.1' },
    { dst: '10.42.0.0/16', gateway: '10.42.1.1' },
  ],
  [
    { dst: 'default', gateway: 'fd01:0:0:2::1' },
    { dst: 'fd01::/48', gateway: 'fd01:0:0:2::1' },
  ],
];
const seen = [[addressesSeen], ...routesSeen].map((one) => JSON.stringify(one));
const prevResult = JSON.parse(successResult('1.1.0', attachment, {}));

t.test('CHECK', (t) => {
  const faults = (changes: {
    port?: PortState | null;
    link?: object;
    prevResult?: unknown;
    seen?: readonly string[];
  }) =>
    checkFaults(
      attachment,
      changes.port === undefined ? port : changes.port,
      changes.seen ?? [JSON.stringify([{ ...addressesSeen, ...changes.link }]), ...seen.slice(1)],
      changes.prevResult ?? prevResult,
    );
  t.strictSame(faults({}), []);
  t.strictSame(faults({ port: null }), ['br-int has no port a2f5796e82e9286']);
  t.strictSame(faults({ port: { ...port, externalIds: { ...port.externalIds, 'iface-id-ver': 'u-0' } } }), [
    'a2f5796e82e9286 has iface-id-ver u-0, not u-1',
  ]);
  t.strictSame(faults({ port: { ...port, externalIds: interfaceIds(attachment) } }), [
    'OVN has not connected a2f5796e82e9286',
  ]);
  t.strictSame(faults({ port: { ...port, ofport: null } }), ['Open vSwitch has not made a2f5796e82e9286']);
  t.strictSame(faults({ port: { ...port, ofport: -1, error: 'no such device' } }), [
    'Open vSwitch cannot use a2f5796e82e9286: no such device',
  ]);
  t.strictSame(faults({ link: { flags: [] } }), ['eth0 is not up']);
  t.strictSame(faults({ link: { address: '02:00:00:00:00:01' } }), [
    'eth0 has MAC 02:00:00:00:00:01, not 0a:58:0a:2a:01:03',
  ]);
  t.strictSame(faults({ link: { addr_info: [{ local: '10.42.1.3', prefixlen: 24 }] } }), [
    'eth0 has no address fd01:0:0:2::3/64',
  ]);
  t.strictSame(faults({ seen: [seen[0] ?? '', '[]', seen[2] ?? ''] }), [
    'the pod has no route 10.42.0.0/16 via 10.42.1.1',
    'the pod has no route default via 10.42.1.1',
  ]);
  t.strictSame(
    faults({ seen: ['', '', ''] }),
    ['the pod has no interface eth0'],
    'a namespace that no longer exists lacks the interface',
  );
  t.strictSame(faults({ prevResult: { ...prevResult, ips: prevResult.ips.slice(0, 1) } }), [
    'the result of ADD has no address fd01:0:0:2::3/64',
  ]);
  t.strictSame(faults({ prevResult: 7 }).length, 3, 'every part of an invalid previous result is reported');
  t.end();
});

t.test('a pod of the API', (t) => {
  const network = { ip_addresses: ['10.42.1.3/24'], mac_address: '0a:58:0a:2a:01:03', gateway_ips: ['10.42.1.1'] };
  const copied = { 'k8s.ovn.org/pod-networks': JSON.stringify({ default: network }) };
  const annotations = { ...copied, 'microshift-net/address-of': 'u' };
  const pod = readNodePod({ metadata: { namespace: 'web', name: 'a', uid: 'u', annotations } });
  t.match(pod, { namespace: 'web', name: 'a', uid: 'u', mirrorOf: null, network: { addresses: ['10.42.1.3/24'] } });
  t.equal(readNodePod({ metadata: { namespace: 'web', name: 'a', uid: 'u' } }).network, null);
  for (const of of [{}, { 'microshift-net/address-of': 'another' }])
    t.equal(
      readNodePod({ metadata: { uid: 'u', annotations: { ...copied, ...of } } }).network,
      null,
      'an annotation that belongs to another pod has no effect',
    );
  t.ok(isSamePod(pod, null));
  t.ok(isSamePod(pod, 'u'));
  t.notOk(isSamePod(pod, 'v'));
  const mirror = { 'kubernetes.io/config.mirror': 'of-a-file' };
  t.ok(
    isSamePod(readNodePod({ metadata: { uid: 'u', annotations: mirror } }), 'of-a-file'),
    'a static pod is recognized by its mirror annotation',
  );
  t.strictSame(readNodePod({}).network, null);
  t.end();
});

t.test('the addresses of a pod are compared with those of its port in OVN', (t) => {
  const { network } = attachment;
  t.equal(carriedFault(network, ['0a:58:0a:2a:01:03 10.42.1.3 fd01:0:0:2::3']), null);
  t.equal(
    carriedFault(network, ['0A:58:0A:2A:01:03 10.42.1.3 fd01:0000:0:2:0:0:0:3']),
    null,
    'addresses in another spelling are equal',
  );
  t.match(
    carriedFault(network, ['0a:58:0a:2a:01:03 10.42.1.4 fd01:0:0:2::3']),
    /10\.42\.1\.3 and .*OVN has .*10\.42\.1\.4/,
  );
  t.match(carriedFault(network, ['0a:58:0a:2a:01:03 10.42.1.3']), /OVN has 0a:58:0a:2a:01:03 and 10\.42\.1\.3 for/);
  t.match(carriedFault(network, ['0a:58:0a:2a:01:04 10.42.1.3 fd01:0:0:2::3']), /OVN has 0a:58:0a:2a:01:04 /);
  for (const none of [null, [], ['unknown']]) t.type(carriedFault(network, none), 'string');
  t.match(carriedFault(network, null), /OVN has no address for its port$/);
  t.end();
});
