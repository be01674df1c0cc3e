// MicroShift's rules for the node's own address, by their numbers in agent/plan/microshift-address.ts.
import t from 'tap';
import type { Link, Route } from '../../../agent/model/observation.ts';
import { loopbackAddresses, microshiftAddresses } from '../../../agent/plan/microshift-address.ts';
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
  t.equal(found(onBridge, routes, '192.0.2.50').nodeIp, null, 'on br-ex only');
  t.equal(found([lo('192.0.2.50'), ...onBridge.slice(1)], routes, '192.0.2.50').nodeIp, '192.0.2.50', 'on lo as well');
  t.equal(found([lo(), link('eth1', 3, ['192.0.2.50'])], routes, '192.0.2.50').nodeIp, '192.0.2.50', 'on a NIC');
  t.equal(found(onBridge, routes, '198.51.100.1').nodeIp, null, 'on none, whatever the default route is');
  t.equal(found([lo('2001:db8::50')], routes, '2001:DB8::50').nodeIp, null, 'as text');
  t.end();
});

t.test('2 and 5: without node.nodeIP, the address of the default route', (t) => {
  t.equal(found(onBridge, [route('br-ex')]).nodeIp, '192.0.2.50', 'br-ex is no exception here');
  const own = link('br-ex', 9, ['10.44.0.0', '192.0.2.50']);
  t.equal(found([lo(), own], [route('br-ex')]).nodeIp, '10.44.0.0', 'the first address, also one of MicroShift itself');
  const two = [lo(), link('eth1', 3, ['198.51.100.5']), link('br-ex', 9, ['192.0.2.50'])];
  t.equal(found(two, [route('br-ex'), route('eth1')]).nodeIp, '192.0.2.50', 'the first route');
  const six = route('br-ex', '::/0', 'fe80::1');
  t.equal(found([...two, link('eth2', 4, [])], [six, route('eth1')]).nodeIp, '198.51.100.5', 'IPv4 before IPv6');
  t.equal(found(onBridge, [six]).nodeIp, '2001:db8::50', 'IPv6 where there is nothing else; not link-local');
  t.equal(found([lo('192.0.2.7'), link('br-ex', 9, ['169.254.1.1'])], [route('br-ex')]).nodeIp, '192.0.2.7', 'then lo');
  const down = [lo('192.0.2.7'), link('br-ex', 9, ['192.0.2.50'], { up: false })];
  t.equal(found(down, [route('br-ex')]).nodeIp, '192.0.2.7', 'a device that is down has none');
  t.equal(found(onBridge, [route('br-ex', '0.0.0.0/1')]).nodeIp, '192.0.2.50', 'prefix lengths are not looked at');
  t.end();
});

t.test('3 and 4: without a default route, the first address beside br-ex', (t) => {
  t.equal(found(onBridge, []).nodeIp, null, 'all are on br-ex');
  t.equal(found(onBridge, [route('br-ex', '::/0', null)]).nodeIp, null, 'an IPv6 route without next hop is none');
  t.equal(found(onBridge, [route('br-ex', '192.0.2.0/24', null)]).nodeIp, null, 'nor is another route');
  const pods = link('ovn-k8s-mp0', 12, ['10.42.0.2']);
  t.equal(found([...onBridge, pods], []).nodeIp, '10.42.0.2', 'that of the pods');
  t.equal(found([pods, lo('192.0.2.50'), ...onBridge], []).nodeIp, '192.0.2.50', 'lo has the lowest index');
  const linkLocal = link('eth0', 2, ['fe80::1'], { up: false });
  t.equal(found([lo(), linkLocal, pods], []).nodeIp, 'fe80::1', 'link-local ones count, and what is down');
  t.equal(found([lo(), link('eth0', 2, ['2001:db8::1', '192.0.2.1'])], []).nodeIp, '192.0.2.1', 'IPv4 first');
  t.end();
});

t.test('6: node.nodeIPv6 may be on br-ex', (t) => {
  t.equal(found(onBridge, [route('br-ex')], null, '2001:db8::50').nodeIpv6, '2001:db8::50');
  t.equal(found(onBridge, [route('br-ex')], null, '2001:db8::51').nodeIpv6, null);
  t.equal(found(onBridge, []).nodeIpv6, '2001:db8::50', 'without it, the first, never ::1');
  t.equal(found([link('eth0', 2, ['fe80::2']), ...onBridge], []).nodeIpv6, 'fe80::2', 'link-local ones count');
  t.end();
});

const cluster = (nodeIp: string | null, nodeIpv6: string | null = null, networks = ['10.42.0.0/16']) => ({
  nodeIp: { value: nodeIp, source: 'config.yaml:1' },
  nodeIpv6: { value: nodeIpv6, source: 'config.yaml:2' },
  clusterNetwork: { value: networks, source: 'config.yaml:3' },
});

t.test('what br-ex takes away from where MicroShift looks goes on lo', (t) => {
  const needed = (nodeIp: string | null, addresses: readonly string[] | null, hasDefaultRoute = true) => {
    const uplink = addresses === null ? null : { addresses, hasDefaultRoute };
    return loopbackAddresses(cluster(nodeIp), uplink);
  };
  const both = ['fe80::50', '2001:db8::50', '192.0.2.50', '192.0.2.51'];
  t.same(needed(null, both), [], 'a default route shows the way to br-ex');
  t.same(needed('192.0.2.51', both), ['192.0.2.51/32']);
  t.same(needed('2001:db8::50', both), ['2001:db8::50/128']);
  t.same(needed('198.51.100.1', both), [], 'another device has it');
  t.same(needed('192.0.2.50', null), [], 'br-ex without a NIC');
  t.same(needed(null, both, false), ['192.0.2.50/32'], 'no default route: the node has to have one beside br-ex');
  t.same(needed(null, ['fe80::1', '2001:db8::50'], false), ['2001:db8::50/128']);
  t.same(needed(null, ['fe80::1', '169.254.1.1'], false), [], 'no address that anybody could use');
  t.same(needed('192.0.2.50', both, false), ['192.0.2.50/32'], 'one is enough for both');
  t.same(needed('198.51.100.1', both, false), []);
  t.end();
});

t.test('with them, MicroShift finds the node by its rules', (t) => {
  for (const nodeIp of [null, '192.0.2.50', '2001:db8::50']) {
    for (const routes of [[], [route('br-ex')]]) {
      const uplink = { addresses: ['192.0.2.50', '2001:db8::50'], hasDefaultRoute: routes.length > 0 };
      const extra = loopbackAddresses(cluster(nodeIp), uplink);
      const links = [lo(...extra.map((text) => text.split('/')[0] ?? '')), ...onBridge.slice(1)];
      t.equal(
        found(links, routes, nodeIp).nodeIp,
        nodeIp ?? '192.0.2.50',
        `${nodeIp}, ${routes.length} default routes`,
      );
    }
  }
  t.end();
});

t.test('with both families, its own address on br-ex is not taken for the node', (t) => {
  const networks = ['10.42.0.0/16', 'fd01::/48'];
  const uplink = { addresses: ['192.0.2.50', '2001:db8::50'], hasDefaultRoute: true };
  const extra = loopbackAddresses(cluster(null, null, networks), uplink);
  t.same(extra, ['2001:db8::50/128']);
  t.same(loopbackAddresses(cluster('192.0.2.50', null, networks), uplink), ['192.0.2.50/32', '2001:db8::50/128']);
  t.same(loopbackAddresses(cluster(null, '2001:db8::50', networks), uplink), [], 'a given one is found on br-ex');
  const withOwn = [link('br-ex', 5, ['192.0.2.50', 'fd02::1:0', '2001:db8::50'])];
  t.equal(found([lo(), ...withOwn], [route('br-ex')]).nodeIpv6, 'fd02::1:0');
  t.equal(found([lo('2001:db8::50'), ...withOwn], [route('br-ex')]).nodeIpv6, '2001:db8::50');
  t.end();
});
