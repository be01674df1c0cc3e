// MicroShift's rules for the node's own address, numbered as in agent/plan/microshift-address.ts.
import t from 'tap';
import type { Link, Route } from '../../../agent/model/observation.ts';
import { microshiftAddresses } from '../../../agent/plan/microshift-address.ts';
import { loopbackNeeds } from '../../../agent/plan/microshift-needs.ts';
import { linkOf } from '../link.ts';

const link = (name: string, index: number, addresses: readonly string[], more: Partial<Link> = {}): Link => {
  const lengths = addresses.map((address) => `${address}/24`);
  return linkOf(name, lengths, { index, hardwareType: name === 'lo' ? 772 : 1, ...more });
};

const route = (device: string, destination = '0.0.0.0/0', gateway: string | null = '192.0.2.1'): Route => ({
  family: destination.includes(':') ? 6 : 4,
  destination,
  gateway,
  device,
  metric: 48,
});

const lo = (...addresses: string[]): Link => link('lo', 1, ['127.0.0.1', ...addresses, '::1']);
const eth0 = link('eth0', 2, []);
const onBridge = [lo(), eth0, link('br-ex', 9, ['192.0.2.50', '2001:db8::50', 'fe80::50'])];

const eth0InBridge = { bridge: 'br-ex', interface: 'eth0', metrics: { 4: 48, 6: 48 } } as const;

const found = (
  links: readonly Link[],
  routes: readonly Route[],
  nodeIp: string | null = null,
  nodeIpv6: string | null = null,
) => {
  const sourced = (value: string | null) => ({ value, source: 'config.yaml:1' });
  return microshiftAddresses({ nodeIp: sourced(nodeIp), nodeIpv6: sourced(nodeIpv6) }, { links, routes });
};

t.test('1: node.nodeIP has to be on an interface other than br-ex; lo is one', (t) => {
  const routes = [route('br-ex')];
  t.equal(found(onBridge, routes, '192.0.2.50').nodeIp, null, 'an address on br-ex only is not found');
  t.equal(
    found([lo('192.0.2.50'), ...onBridge.slice(1)], routes, '192.0.2.50').nodeIp,
    '192.0.2.50',
    'an address on br-ex and lo is found',
  );
  t.equal(
    found([lo(), link('eth1', 3, ['192.0.2.50'])], routes, '192.0.2.50').nodeIp,
    '192.0.2.50',
    'an address on a NIC is found',
  );
  t.equal(
    found(onBridge, routes, '198.51.100.1').nodeIp,
    null,
    'an address on no interface is not found, regardless of the default route',
  );
  t.equal(
    found([lo('2001:db8::50')], routes, '2001:DB8::50').nodeIp,
    null,
    'an address in another spelling is not found',
  );
  t.end();
});

t.test('2 and 5: without node.nodeIP, the address of the default route', (t) => {
  t.equal(found(onBridge, [route('br-ex')]).nodeIp, '192.0.2.50', 'the default route may be on br-ex');
  const own = link('br-ex', 9, ['10.44.0.0', '192.0.2.50']);
  t.equal(
    found([lo(), own], [route('br-ex')]).nodeIp,
    '10.44.0.0',
    'the first address is found, even if MicroShift has added it',
  );
  const two = [lo(), link('eth1', 3, ['198.51.100.5']), link('br-ex', 9, ['192.0.2.50'])];
  t.equal(found(two, [route('br-ex'), route('eth1')]).nodeIp, '192.0.2.50', 'the first of two default routes decides');
  const six = route('br-ex', '::/0', 'fe80::1');
  t.equal(
    found([...two, link('eth2', 4, [])], [six, route('eth1')]).nodeIp,
    '198.51.100.5',
    'an IPv4 default route comes before an IPv6 one',
  );
  t.equal(
    found(onBridge, [six]).nodeIp,
    '2001:db8::50',
    'an IPv6 address that is not link-local is found if there is no IPv4 default route',
  );
  t.equal(
    found([lo('192.0.2.7'), link('br-ex', 9, ['169.254.1.1'])], [route('br-ex')]).nodeIp,
    '192.0.2.7',
    'lo comes next if the device has only a link-local address',
  );
  const down = [lo('192.0.2.7'), link('br-ex', 9, ['192.0.2.50'], { up: false })];
  t.equal(found(down, [route('br-ex')]).nodeIp, '192.0.2.7', 'the address of a device that is down is not used');
  t.equal(
    found(onBridge, [route('br-ex', '0.0.0.0/1')]).nodeIp,
    '192.0.2.50',
    'a route to 0.0.0.0/1 counts as a default route',
  );
  t.end();
});

t.test('3 and 4: without a default route, the first address beside br-ex', (t) => {
  t.equal(found(onBridge, []).nodeIp, null, 'no address is found if all are on br-ex');
  t.equal(
    found(onBridge, [route('br-ex', '::/0', null)]).nodeIp,
    null,
    'an IPv6 route without next hop does not count',
  );
  t.equal(
    found(onBridge, [route('br-ex', '192.0.2.0/24', null)]).nodeIp,
    null,
    'a route that is not a default route has no effect',
  );
  const pods = link('ovn-k8s-mp0', 12, ['10.42.0.2']);
  t.equal(found([...onBridge, pods], []).nodeIp, '10.42.0.2', "the address of the pods' interface is found");
  t.equal(
    found([pods, lo('192.0.2.50'), ...onBridge], []).nodeIp,
    '192.0.2.50',
    'lo comes first, because it has the lowest index',
  );
  const linkLocal = link('eth0', 2, ['fe80::1'], { up: false });
  t.equal(found([lo(), linkLocal, pods], []).nodeIp, 'fe80::1', 'link-local addresses and devices that are down count');
  t.equal(
    found([lo(), link('eth0', 2, ['2001:db8::1', '192.0.2.1'])], []).nodeIp,
    '192.0.2.1',
    'an IPv4 address comes before an IPv6 address',
  );
  t.end();
});

t.test('5: with a default route that has no address on its device, lo comes first', (t) => {
  const six = route('br-ex', '::/0', 'fe80::1');
  const links = [lo('2001:db8::50'), link('br-ex', 9, ['fd02::1:0', '2001:db8::50'])];
  const lookAt = (host: Parameters<typeof microshiftAddresses>[1]): string | null => {
    const unset = { value: null, source: 'default' };
    return microshiftAddresses({ nodeIp: unset, nodeIpv6: unset }, host).nodeIp;
  };
  t.equal(lookAt({ links, routes: [six] }), 'fd02::1:0', 'the address that MicroShift has added to lo is found');
  t.equal(lookAt({ links, routes: [six], signpost: true }), '2001:db8::50');
  t.equal(
    lookAt({ links, routes: [], signpost: true }),
    '2001:db8::50',
    "the signpost leads to the node's address without any other route",
  );
  const without = [lo(), ...links.slice(1)];
  t.equal(
    lookAt({ links: without, routes: [six], signpost: true }),
    'fd02::1:0',
    "without an IPv6 address of the node on lo, MicroShift's own address is found",
  );
  const both = [lo('2001:db8::50'), link('br-ex', 9, ['192.0.2.50', 'fd02::1:0'])];
  t.equal(
    lookAt({ links: both, routes: [route('br-ex')], signpost: true }),
    '192.0.2.50',
    'IPv4 comes before the signpost',
  );
  t.end();
});

t.test('6: node.nodeIPv6 may be on br-ex', (t) => {
  t.equal(found(onBridge, [route('br-ex')], null, '2001:db8::50').nodeIpv6, '2001:db8::50');
  t.equal(found(onBridge, [route('br-ex')], null, '2001:db8::51').nodeIpv6, null);
  t.equal(found(onBridge, []).nodeIpv6, '2001:db8::50', 'without node.nodeIPv6, the first address except ::1 is found');
  t.equal(
    found([link('eth0', 2, ['fe80::2']), ...onBridge], []).nodeIpv6,
    'fe80::2',
    'link-local IPv6 addresses count',
  );
  t.end();
});

const cluster = (nodeIp: string | null, nodeIpv6: string | null = null, networks = ['10.42.0.0/16']) => ({
  nodeIp: { value: nodeIp, source: 'config.yaml:1' },
  nodeIpv6: { value: nodeIpv6, source: 'config.yaml:2' },
  clusterNetwork: { value: networks, source: 'config.yaml:3' },
});

/** Returns the addresses of lo if br-ex, whose NIC is eth0, has or will have these addresses. */
const onLo = (
  settings: ReturnType<typeof cluster>,
  addresses: readonly string[] | null,
  routes: readonly Route[],
  others: readonly Link[] = [],
): readonly string[] => {
  const links = [lo(), eth0, link('br-ex', 9, addresses ?? []), ...others];
  const uplink = addresses === null ? null : { ...eth0InBridge, addresses };
  return loopbackNeeds(settings, { links, routes }, uplink).addresses;
};

t.test('the address that MicroShift uses without the bridge is added to lo', (t) => {
  const byBridge = [route('br-ex')];
  const both = ['fe80::50', '2001:db8::50', '192.0.2.50', '192.0.2.51'];
  const needed = (nodeIp: string | null, routes: readonly Route[], others: readonly Link[] = []) =>
    onLo(cluster(nodeIp), both, routes, others);
  t.same(
    needed(null, byBridge),
    ['192.0.2.50/32'],
    'the address of the default route is needed, because the route can be lost',
  );
  t.same(needed(null, [route('eth0')]), ['192.0.2.50/32'], 'the address is also needed before the NIC moves');
  t.same(needed('192.0.2.51', byBridge), ['192.0.2.51/32']);
  t.same(needed('2001:db8::50', byBridge), ['2001:db8::50/128']);
  t.same(needed('198.51.100.1', byBridge), [], 'no address is needed if another device has node.nodeIP');
  t.same(onLo(cluster('192.0.2.50'), null, byBridge), [], 'no address is needed on a br-ex without a NIC');
  t.same(needed(null, []), ['192.0.2.50/32'], 'without a default route, an address outside of br-ex is needed');
  t.same(onLo(cluster(null), ['fe80::1', '2001:db8::50'], []), ['2001:db8::50/128']);
  t.same(onLo(cluster(null), ['fe80::1', '169.254.1.1'], byBridge), [], 'link-local addresses are not added');
  const eth1 = link('eth1', 3, ['198.51.100.5']);
  t.same(
    needed(null, [{ ...route('eth1'), metric: 20 }, route('br-ex')], [eth1]),
    [],
    'no address is needed if another default route is preferred',
  );
  t.same(needed(null, [route('br-ex'), route('eth1')], [eth1]), ['192.0.2.50/32']);
  t.same(
    needed(null, [], [eth1]),
    ['192.0.2.50/32'],
    'an address is needed without a default route if the other NIC has a higher index',
  );
  t.same(
    needed(null, [], [{ ...eth1, name: 'eth9', index: 1 }]),
    [],
    'no address is needed if MicroShift finds the address of another NIC',
  );
  t.same(
    onLo(cluster(null), ['2001:db8::50'], [route('br-ex', '::/0', 'fe80::1')]),
    ['2001:db8::50/128'],
    'with IPv6 only, the IPv6 address is added',
  );
  t.end();
});

t.test('a signpost is needed where MicroShift finds an IPv6 address by a default route', (t) => {
  const needs = (settings: ReturnType<typeof cluster>, addresses: readonly string[], routes: readonly Route[]) => {
    const host = { links: [lo(), eth0, link('br-ex', 9, addresses)], routes };
    return loopbackNeeds(settings, host, { ...eth0InBridge, addresses }).signpost;
  };
  const six = route('br-ex', '::/0', 'fe80::1');
  t.equal(needs(cluster(null), ['2001:db8::50'], [six]), true);
  t.equal(needs(cluster(null), ['2001:db8::50'], []), true, 'the signpost is also needed without a default route');
  t.equal(
    needs(cluster('2001:db8::50'), ['2001:db8::50'], [six]),
    false,
    'no signpost is needed if node.nodeIP is set',
  );
  t.equal(
    needs(cluster(null), ['192.0.2.50', '2001:db8::50'], [route('br-ex'), six]),
    false,
    'no signpost is needed if MicroShift finds an IPv4 address first',
  );
  t.end();
});

t.test('lo keeps its IPv6 address while the uplink has it', (t) => {
  const host = { links: [lo('2001:db8::50'), eth0, link('br-ex', 9, [])], routes: [route('br-ex', '::/0', 'fe80::1')] };
  const uplink = { ...eth0InBridge, addresses: ['2001:db8::99', '2001:db8::50'] };
  t.same(loopbackNeeds(cluster(null), host, uplink).addresses, ['2001:db8::50/128']);
  const gone = { ...eth0InBridge, addresses: ['2001:db8::99'] };
  t.same(
    loopbackNeeds(cluster(null), host, gone).addresses,
    ['2001:db8::99/128'],
    'lo gets another address if the uplink has lost the old one',
  );
  t.end();
});

t.test('with these addresses on lo, MicroShift finds the node with and without a default route', (t) => {
  for (const nodeIp of [null, '192.0.2.50', '2001:db8::50']) {
    for (const routes of [[], [route('br-ex')]]) {
      const extra = onLo(cluster(nodeIp), ['192.0.2.50', '2001:db8::50'], routes);
      const links = [lo(...extra.map((text) => text.split('/')[0] ?? '')), ...onBridge.slice(1)];
      for (const later of [[], [route('br-ex')]]) {
        const text = `${nodeIp}, ${routes.length} default routes, then ${later.length}`;
        t.equal(found(links, later, nodeIp).nodeIp, nodeIp ?? '192.0.2.50', text);
      }
    }
  }
  t.end();
});

t.test("with both families, MicroShift's own address on br-ex is not used as the node's", (t) => {
  const networks = ['10.42.0.0/16', 'fd01::/48'];
  const addresses = ['192.0.2.50', '2001:db8::50'];
  const byBridge = [route('br-ex')];
  const both = ['192.0.2.50/32', '2001:db8::50/128'];
  t.same(onLo(cluster(null, null, networks), addresses, byBridge), both);
  t.same(onLo(cluster('192.0.2.50', null, networks), addresses, byBridge), both);
  t.same(
    onLo(cluster(null, '2001:db8::50', networks), addresses, byBridge),
    both.slice(0, 1),
    'no IPv6 address is added if node.nodeIPv6 is set',
  );
  const withOwn = [link('br-ex', 5, ['192.0.2.50', 'fd02::1:0', '2001:db8::50'])];
  t.equal(found([lo(), ...withOwn], [route('br-ex')]).nodeIpv6, 'fd02::1:0');
  t.equal(found([lo('2001:db8::50'), ...withOwn], [route('br-ex')]).nodeIpv6, '2001:db8::50');
  t.end();
});
