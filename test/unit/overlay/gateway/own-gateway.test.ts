import t from 'tap';
import type { Route } from '../../../../agent/model/observation.ts';
import type { GatewayRequest, OverlayRecord } from '../../../../agent/model/overlay-record.ts';
import { bridgeFor, chooseGateway, recordNow } from '../../../../agent/overlay/gateway/own-gateway.ts';
import { movedAddresses, type NicFacts, planNic } from '../../../../agent/overlay/gateway/own-nic.ts';
import { failure } from '../../failure.ts';
import { linkOf } from '../../link.ts';
import { dual, modern, nodeOf } from '../cluster.ts';

function route(destination: string, gateway: string | null, device: string, metric = 0): Route {
  return { family: destination.includes(':') ? 6 : 4, destination, gateway, device, metric };
}

const request: GatewayRequest = {
  bridge: 'br-ex',
  interface: null,
  addresses: 'auto',
  nextHops: 'auto',
  vlan: null,
  subnets: [],
  moved: [],
};
const node = nodeOf(1);
const bridge = linkOf('br-ex', ['10.44.0.0/32', '192.0.2.11/24', '192.0.2.5/24', '2001:db8::11/64', 'fe80::1/64']);
const routes = [
  route('192.0.2.0/24', null, 'br-ex'),
  route('0.0.0.0/0', '192.0.2.1', 'br-ex', 100),
  route('0.0.0.0/0', '192.0.2.2', 'br-ex', 48),
  route('0.0.0.0/0', '198.51.100.1', 'eth5', 0),
  route('::/0', 'fe80::2', 'br-ex', 48),
];
const kernel = { links: [bridge, linkOf('eth1', ['203.0.113.9/24'], { mac: '52:54:00:00:01:01' })], routes };

t.test('the gateway that br-ex and its routes make possible', (t) => {
  t.strictSame(chooseGateway(request, modern, node, kernel), {
    bridge: 'br-ex',
    kind: 'shared',
    interface: null,
    physicalNetwork: 'physnet',
    mac: '52:54:00:00:00:01',
    addresses: ['192.0.2.11/24'],
    nextHops: ['192.0.2.2'],
    vlan: null,
    subnets: [],
    isUp: true,
  });
  t.match(chooseGateway(request, dual, node, kernel), {
    addresses: ['192.0.2.11/24', '2001:db8::11/64'],
    nextHops: ['192.0.2.2', 'fe80::2'],
  });
  const single = [linkOf('br-ex', ['192.0.2.77/32'])];
  const cloud = [route('0.0.0.0/0', '169.254.1.1', 'br-ex')];
  t.match(chooseGateway(request, modern, node, { links: single, routes: cloud }), { addresses: ['192.0.2.77/32'] });
  t.end();
});

t.test('another gateway, or the reason why none is possible', (t) => {
  t.match(chooseGateway({ ...request, addresses: ['192.0.2.111/24'] }, modern, node, kernel), {
    kind: 'dedicated',
    mac: '0a:58:c0:00:02:6f',
    nextHops: ['192.0.2.2'],
  });
  t.match(chooseGateway({ ...request, nextHops: ['192.0.2.9'] }, modern, node, kernel), {
    kind: 'shared',
    addresses: ['192.0.2.11/24'],
  });
  const own = { ...request, bridge: 'br-gweth1', interface: 'eth1', addresses: ['203.0.113.9/24'], vlan: 7 };
  t.match(chooseGateway({ ...own, nextHops: ['203.0.113.1'] }, modern, node, kernel), {
    kind: 'dedicated',
    physicalNetwork: 'physnet-eth1',
    mac: '52:54:00:00:01:01',
  });
  t.match(chooseGateway({ ...request, bridge: 'br-ex' }, modern, node, kernel), { physicalNetwork: 'physnet' });
  const refused = (special: Partial<GatewayRequest>, message: RegExp, hint: RegExp): void => {
    const act = (): unknown => chooseGateway({ ...request, ...special }, modern, node, kernel);
    t.throws(act, failure('overlay-conflict', { message, hint }), String(message));
  };
  const another = /^write another address of the LAN with --address IP\/LENGTH/;
  refused({ bridge: 'br-none' }, /the bridge br-none of the gateway does not exist/, /^write the name of a bridge/);
  refused(
    { ...own, nextHops: 'auto' },
    /nothing leads further from eth1/,
    /--next-hop IP, and its address with --addr/,
  );
  refused({ vlan: 7 }, /192\.0\.2\.11\/24 of br-ex is not in VLAN 7/, /^omit --vlan, or /);
  refused({ isVip: true }, /192\.0\.2\.11\/24 is this node's own and cannot move/, /, the same on each gateway$/);
  refused({ addresses: ['10.42.9.9/24'] }, /within 10\.42\.0\.0\/16/, another);
  refused({ nextHops: ['2001:db8::1'] }, /a family that the cluster does not have/, another);
  const foreign = { addresses: ['192.0.2.11/24'], nextHops: ['2001:db8::1'] };
  refused(foreign, /no address for next hop 2001:db8::1/, /^write a router of the LAN with --next-hop/);
  refused({ subnets: ['10.43.0.0/24'] }, /10\.43\.0\.0\/24 is not in/, /^write with --subnets .*in 10\.42\.0\.0\/16$/);
  const mixed = { addresses: ['192.0.2.11/24', '2001:db8::99/64'], nextHops: ['192.0.2.1', 'fe80::2'] };
  t.throws(() => chooseGateway({ ...request, ...mixed }, dual, node, kernel), { message: /and not the other address/ });
  t.end();
});

t.test('the recorded gateway follows the addresses and routes of br-ex, and stays while br-ex has none', (t) => {
  const gateway = chooseGateway(request, modern, node, kernel);
  const record: OverlayRecord = {
    format: 1,
    layout: modern,
    southbound: [],
    node: { ...node, gateway },
    gateway: request,
    members: null,
  };
  const moved = {
    links: [linkOf('br-ex', ['198.51.100.9/24'])],
    routes: [route('0.0.0.0/0', '198.51.100.1', 'br-ex')],
  };
  t.match(recordNow(record, moved).node.gateway, { addresses: ['198.51.100.9/24'], nextHops: ['198.51.100.1'] });
  t.equal(
    recordNow(record, { links: [linkOf('br-ex', [])], routes: [] }),
    record,
    'the record stays while br-ex has no address between two leases',
  );
  t.match(
    recordNow(record, { links: [], routes: [] }),
    { node: { gateway: null } },
    'the record has no gateway if br-ex does not exist',
  );
  const { gateway: _, ...older } = record;
  t.equal(recordNow(older, moved), older);
  t.end();
});

t.test('a gateway with a NIC of its own', (t) => {
  t.strictSame([bridgeFor('eth1'), bridgeFor('enp129s0f0np0')], ['br-gweth1', 'br-gw129s0f0np0']);
  const facts: NicFacts = { ...kernel, sshPeer: null, leased: [] };
  const moved = (asked: readonly string[] | 'auto', special: Partial<NicFacts> = {}): readonly string[] =>
    movedAddresses('eth1', asked, node, { ...facts, ...special });
  t.strictSame(moved('auto'), ['203.0.113.9/24']);
  t.strictSame(moved(['203.0.113.9/24']), ['203.0.113.9/24']);
  t.strictSame(moved(['203.0.113.8/24'], { links: [linkOf('eth1', ['fe80::1/64'])] }), []);
  const connected = route('203.0.113.0/24', null, 'eth1');
  for (const [special, message] of [
    [{ links: [bridge] }, /the interface eth1 does not exist/],
    [{ leased: ['203.0.113.9/24'] }, /203\.0\.113\.9\/24 of a lease/],
    [{ routes: [route('0.0.0.0/0', '203.0.113.1', 'eth1')] }, /a default route of this node leads over it/],
    [{ routes: [route('10.0.0.0/8', '203.0.113.1', 'eth1')] }, /the route of this node to 10\.0\.0\.0\/8/],
    [
      { routes: [...routes, connected], sshPeer: '203.0.113.77' },
      /the SSH session of this command uses it, from 203\.0\.113\.77/,
    ],
    [{ links: [linkOf('eth1', ['192.0.2.11/24'])] }, /it has 192\.0\.2\.11, at which the other nodes/],
    [{ links: [linkOf('eth1', [], { master: 'bond0' })] }, /it is part of bond0/],
    [{ links: [linkOf('eth1', [], { kind: 'wlan' })] }, /Ethernet only/],
  ] as const)
    t.throws(() => moved('auto', special), { message }, String(message));
  const links = ['lo', 'ovs-system', 'br-ex', 'br-int', 'ovn-k8s-mp0', 'genev_sys_6081', 'eth0', 'eth2'].map((name) =>
    linkOf(name, [], { hardwareType: name === 'lo' ? 772 : 1, master: name === 'eth0' ? 'ovs-system' : null }),
  );
  t.throws(() => moved('auto', { links }), failure('interface-not-found', { hint: /^write one of: eth2$/ }));
  const hint = failure('interface-not-found', { hint: /^write one of: eth3$/ });
  const two = ['eth0', 'eth2', 'eth3'].map((name) => linkOf(name, []));
  const overEth2 = [...routes, route('0.0.0.0/0', '203.0.113.1', 'eth2')];
  t.throws(() => moved('auto', { links: two, ports: ['eth0'], routes: overEth2 }), hint, 'NICs that would be refused');
  const none = failure('interface-not-found', { hint: /^this node has no NIC .*omit --interface/ });
  t.throws(() => moved('auto', { links: [bridge] }), none);
  t.throws(() => moved(['203.0.113.8/24']), { message: /which would not be answered any more/ });
  t.strictSame(moved('auto', { routes: [...routes, connected], sshPeer: '192.0.2.77' }), ['203.0.113.9/24']);
  t.strictSame(
    planNic('eth1', [linkOf('eth1', ['203.0.113.9/24', 'fe80::1/64'], { up: false })]).map(({ command }) => command),
    ['address flush dev eth1 scope global', 'link set dev eth1 up'],
  );
  t.strictSame(
    planNic('eth1', [linkOf('eth1', ['203.0.113.9/24'])]).map(({ command }) => command),
    ['address delete 203.0.113.9/24 dev eth1'],
  );
  t.strictSame(planNic('eth1', [linkOf('eth1', [])]), []);
  t.end();
});
