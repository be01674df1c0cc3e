// The agent runs ip(8) only if files of the kernel indicate that other programs configured links.
import t from 'tap';
import { mayHaveOthers, readTableSigns } from '../../../agent/facts/may-have-others.ts';
import type { Link, LinkAddress, Route } from '../../../agent/model/observation.ts';
import { linkOf } from '../link.ts';
import { linkAddress } from '../link-address.ts';

const none = { hasOtherTables: false, hasPermanentNeighbours: false };

function route(destination: string, gateway: string | null, metric: number, device = 'eth0'): Route {
  return { family: destination.includes(':') ? 6 : 4, destination, gateway, device, metric };
}

function link(name: string, ...addresses: readonly (string | LinkAddress)[]): Link {
  const all = addresses.map((address) => (typeof address === 'string' ? linkAddress(address) : address));
  return { ...linkOf(name, []), addresses: all };
}

const linkLocal = { ...linkAddress('fe80::5054:ff:feaa:0/64'), scope: 'link' as const };
/** Configuration of a NIC as NetworkManager makes it. */
const nic = link('eth0', '192.0.2.50/24', '2001:db8::50/64', linkLocal);
const own = [
  route('0.0.0.0/0', '192.0.2.1', 100),
  route('192.0.2.0/24', null, 100),
  route('::/0', 'fe80::1', 100),
  route('2001:db8::/64', null, 100),
  route('fe80::/64', null, 1024),
];
const may = (links: readonly Link[], routes: readonly Route[], ours: readonly string[] = ['br-ex']): boolean =>
  mayHaveOthers(links, routes, ours, none);

t.test('a NIC that NetworkManager alone configures', (t) => {
  t.notOk(may([nic], own));
  const far = [
    route('0.0.0.0/0', '198.51.100.1', 100),
    route('198.51.100.1/32', null, 100),
    route('192.0.2.0/24', null, 100),
  ];
  t.notOk(may([link('eth0', '192.0.2.50/24')], far), 'a gateway beyond the prefix is not a sign of another program');
  const pods = { ...link('cni0', '10.42.0.1/24'), kind: 'bridge' };
  t.notOk(
    may([nic, pods], [...own, route('10.42.0.0/24', null, 0, 'cni0')]),
    'a bridge of containers is not a sign of another program',
  );
  t.end();
});

t.test('signs of other programs', (t) => {
  const signs: Readonly<Record<string, readonly [readonly Link[], readonly Route[]]>> = {
    'a second address': [[link('eth0', '192.0.2.50/24', '192.0.2.60/24')], own],
    'a second address of the link': [[link('eth0', linkLocal, { ...linkLocal, address: 'fe80::7' })], own],
    'the connected route of an address by ip(8)': [
      [link('eth0', '192.0.2.50/24')],
      [...own, route('192.0.2.0/24', null, 0)],
    ],
    'the same of IPv6': [[nic], [...own, route('2001:db8::/64', null, 256)]],
    'a route to somewhere': [[nic], [...own, route('10.9.0.0/16', '192.0.2.1', 0)]],
    'a host route': [[nic], [...own, route('169.254.169.254/32', null, 0)]],
    'a second default route': [[nic], [...own, route('0.0.0.0/0', '192.0.2.2', 50)]],
    'a default route by ip(8)': [[nic], [route('0.0.0.0/0', '192.0.2.1', 0)]],
    'the same default route of IPv6': [[nic], [route('::/0', 'fe80::1', 1024)]],
    'a route on a NIC in a bridge': [[{ ...link('eth0'), master: 'ovs-system' }], [route('10.9.0.0/16', null, 0)]],
    'an address of a bridge that nothing goes through': [[link('br-ex', '10.44.0.0/32')], []],
    'an address on lo': [[link('lo', '127.0.0.1/8', '10.44.0.0/32')], []],
  };
  for (const [what, [links, routes]] of Object.entries(signs)) t.ok(may(links, routes), what);
  for (const sign of ['hasOtherTables', 'hasPermanentNeighbours'] as const)
    t.ok(mayHaveOthers([nic], own, [], { ...none, [sign]: true }), sign);
  t.end();
});

t.test('tables and neighbours that the kernel reports', (t) => {
  // Formats of the kernel's files: Linux, net/ipv4/fib_trie.c (fib_trie_seq_show) and net/ipv4/arp.c.
  const files = (ids: readonly number[], flags: string) => (path: string) =>
    path === '/proc/net/arp'
      ? `IP address       HW type     Flags       HW address            Mask     Device\n192.0.2.1        0x1         ${flags}         52:54:00:bb:00:00     *        eth0\n`
      : ['Main:', 'Local:', ...ids.map((id) => `Id ${id}:`)].map((name) => `${name}\n  +-- 0.0.0.0/0 2 0 2\n`).join('');
  t.strictSame(readTableSigns(files([], '0x2')), none);
  t.strictSame(readTableSigns(files([77], '0x2')), { ...none, hasOtherTables: true });
  t.strictSame(readTableSigns(files([], '0x6')), { ...none, hasPermanentNeighbours: true });
  t.strictSame(
    readTableSigns(() => null),
    none,
  );
  t.end();
});
