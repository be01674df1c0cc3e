// Foreign entries in the output of `ip -json` (iproute2 6.1). The entries are recorded from a link that had all of
// them.
import t from 'tap';
import { foreignAddresses, foreignRoutes } from '../../../agent/drivers/host/kernel/change-kernel-entries.ts';
import { parseRule } from '../../../agent/drivers/host/kernel/kernel-routes.ts';
import { ruleWords, wordsOf } from '../../../agent/drivers/host/kernel/kernel-words.ts';
import { keepLifetimes } from '../../../agent/drivers/host/kernel/shown-address.ts';
import { joined, type KernelEntries, noEntries, onInterface } from '../../../agent/model/kernel-entries.ts';

const ownMetric = 40_000;
const forEver = { label: 'd0', valid_life_time: 4_294_967_295, preferred_life_time: 4_294_967_295 };

t.test('addresses', (t) => {
  const ofOthers = [
    { family: 'inet', local: '10.44.0.0', prefixlen: 32, scope: 'global', ...forEver },
    { family: 'inet', local: '169.254.169.2', prefixlen: 29, metric: 77, scope: 'global', ...forEver },
    { family: 'inet', local: '169.254.7.7', prefixlen: 16, scope: 'link', ...forEver },
    {
      family: 'inet6',
      local: 'fd69::2',
      prefixlen: 125,
      scope: 'global',
      nodad: true,
      deprecated: true,
      valid_life_time: 4_294_967_295,
      preferred_life_time: 0,
    },
  ] as const;
  t.strictSame(foreignAddresses(ofOthers, ownMetric, 'd0'), [
    { address: '10.44.0.0/32', metric: null, noDad: false, deprecated: false },
    { address: '169.254.169.2/29', metric: 77, noDad: false, deprecated: false },
    { address: '169.254.7.7/16', metric: null, noDad: false, deprecated: false, scope: 'link' },
    { address: 'fd69::2/125', metric: null, noDad: true, deprecated: true },
  ]);
  const ofNobodyElse = {
    "a lease's": {
      family: 'inet',
      local: '198.51.100.7',
      prefixlen: 24,
      scope: 'global',
      noprefixroute: true,
      dynamic: true,
    },
    'a temporary one': { family: 'inet6', local: '2001:db8::7', prefixlen: 64, scope: 'global', temporary: true },
    "lo's own": { family: 'inet', local: '127.0.0.1', prefixlen: 8, scope: 'host', ...forEver },
    "the kernel's": {
      family: 'inet6',
      local: 'fe80::1',
      prefixlen: 64,
      scope: 'link',
      protocol: 'kernel_ll',
      ...forEver,
    },
    "the kernel's, by Linux before 5.18": {
      family: 'inet6',
      local: 'fe80::5054:ff:feaa:1',
      prefixlen: 64,
      scope: 'link',
      ...forEver,
    },
    'of a router, by the kernel': {
      family: 'inet6',
      local: '2001:db8::9',
      prefixlen: 64,
      scope: 'global',
      protocol: 'kernel_ra',
      dynamic: true,
    },
    "NetworkManager's of the link": {
      family: 'inet6',
      local: 'fe80::1',
      prefixlen: 64,
      scope: 'link',
      noprefixroute: true,
      ...forEver,
    },
    "the agent's": { family: 'inet', local: '203.0.113.1', prefixlen: 24, metric: 40_000, scope: 'global', ...forEver },
  } as const;
  for (const [whose, entry] of Object.entries(ofNobodyElse))
    t.strictSame(foreignAddresses([entry], ownMetric, 'd0'), [], whose);
  t.end();
});

t.test("IPv6 addresses that the kernel lists after one of the node's own addresses", (t) => {
  const entry = (local: string, own: boolean, scope = 'global') => {
    return {
      family: 'inet6',
      local,
      prefixlen: 64,
      scope,
      ...(own ? { noprefixroute: true as const } : {}),
      ...forEver,
    };
  };
  const listed = [
    entry('2001:db8::3', false),
    entry('2001:db8::2', true),
    entry('2001:db8::1', false),
    entry('fe80::1', true, 'link'),
  ];
  const foreign = { metric: null, noDad: false, deprecated: false };
  t.strictSame(foreignAddresses(listed, ownMetric, 'd0'), [
    { address: '2001:db8::3/64', ...foreign },
    { address: '2001:db8::2/64', ...foreign, flags: ['noprefixroute'] },
    { address: '2001:db8::1/64', ...foreign, behindOwn: true },
  ]);
  t.end();
});

t.test('every attribute of an address', (t) => {
  // Output of iproute2 7.
  const listed = [
    {
      family: 'inet',
      local: '198.51.100.9',
      prefixlen: 24,
      broadcast: '198.51.100.255',
      scope: 'link',
      noprefixroute: true,
      protocol: '0x12',
      label: 'd0:vip',
      valid_life_time: 4_294_967_295,
      preferred_life_time: 4_294_967_295,
    },
    { ...forEver, family: 'inet', local: '203.0.113.1', address: '203.0.113.2', prefixlen: 32, scope: 'global' },
    {
      family: 'inet6',
      local: '2001:db8:9::61',
      prefixlen: 64,
      scope: 'global',
      nodad: true,
      home: true,
      dynamic: true,
      valid_life_time: 5000,
      preferred_life_time: 3000,
    },
    { ...forEver, family: 'inet6', local: 'fe80::7', prefixlen: 64, scope: 'link' },
  ] as const;
  const addresses = foreignAddresses(listed, ownMetric, 'd0');
  t.strictSame(wordsOf({ ...noEntries('br-ex'), addresses }, 'append'), [
    'address replace 198.51.100.9/24 dev br-ex broadcast 198.51.100.255 scope link label br-ex:vip proto 0x12 noprefixroute',
    'address replace 203.0.113.1 peer 203.0.113.2/32 dev br-ex',
    'address replace fe80::7/64 dev br-ex',
    'address replace 2001:db8:9::61/64 dev br-ex home nodad valid_lft 5000 preferred_lft 3000',
  ]);
  t.end();
});

/**
 * Lines of `ip -oneline -details route show table all`, and the arguments of ip(8) that add them to another interface.
 */
const moved = {
  'unicast 10.43.0.0/16 via 169.254.169.4 dev d0 table main proto boot scope global mtu 1400 ':
    '10.43.0.0/16 via 169.254.169.4 dev br-ex scope global mtu 1400',
  'unicast 169.254.169.1 dev d0 table main proto boot scope global ': '169.254.169.1/32 dev br-ex scope global',
  'unicast 169.254.169.1 dev d0 table main proto boot scope link ': '169.254.169.1/32 dev br-ex scope link',
  'unicast default via 169.254.169.4 dev d0 table 7 proto boot scope global src 169.254.169.2 metric 300 linkdown ':
    '0.0.0.0/0 via 169.254.169.4 dev br-ex scope global src 169.254.169.2 metric 300 table 7',
  'unicast default via fd69::4 dev d0 table main proto boot scope global metric 1024 pref medium':
    '::/0 via fd69::4 dev br-ex metric 1024',
  'unicast default dev d0 table main proto boot scope global metric 1024 pref medium': '::/0 dev br-ex metric 1024',
  'unicast 10.8.0.0/16 via 10.77.0.1 dev d0 table 77 proto bird scope global onlink ':
    '10.8.0.0/16 via 10.77.0.1 dev br-ex proto bird scope global table 77 onlink',
  'unicast 10.9.0.0/16 via 192.0.2.1 dev d0 table main proto boot scope global mtu lock 1300 rtt 20ms advmss 1000 rto_min lock 10ms congctl lock reno ':
    '10.9.0.0/16 via 192.0.2.1 dev br-ex scope global mtu lock 1300 rtt 20ms advmss 1000 rto_min 10ms congctl lock reno',
  'unicast 10.5.0.0/16 tos 0x10 via 192.0.2.1 dev d0 table main proto boot scope global realms 3/5 ':
    '10.5.0.0/16 via 192.0.2.1 dev br-ex scope global tos 0x10 realms 3/5',
  'unicast 10.6.0.0/16 via inet6 fe80::1 dev d0 table main proto boot scope global ':
    '10.6.0.0/16 dev br-ex scope global via inet6 fe80::1',
  'local 10.4.0.0/16 dev d0 table local proto boot scope host ': 'local 10.4.0.0/16 dev br-ex scope host table local',
  'unicast 2001:db8:7::/48 via 2001:db8::2 dev d0 table main proto bird scope global metric 1024 expires 3999sec pref high':
    '2001:db8:7::/48 via 2001:db8::2 dev br-ex proto bird metric 1024 expires 3999 pref high',
  'unicast 2001:db8:5::/48 from 2001:db8::/48 via 2001:db8::2 dev d0 table main proto boot scope global metric 1024 pref medium':
    '2001:db8:5::/48 via 2001:db8::2 dev br-ex metric 1024 from 2001:db8::/48',
  'unicast 10.56.0.0/16  encap ip id 5 src 0.0.0.0 dst 1.2.3.4 ttl 0 tos 0 via 192.0.2.1 dev d0 table main proto boot scope global ':
    '10.56.0.0/16 via 192.0.2.1 dev br-ex scope global encap ip id 5 src 0.0.0.0 dst 1.2.3.4 ttl 0 tos 0',
  'unicast 10.7.0.0/16 table main proto boot scope global \\\tnexthop via 192.0.2.1 dev d0 weight 2 \\\tnexthop via 192.0.2.3 dev d1 weight 3 linkdown ':
    '10.7.0.0/16 scope global nexthop via 192.0.2.1 dev br-ex weight 2 nexthop via 192.0.2.3 dev d1 weight 3',
};

t.test('every attribute of a route', (t) => {
  for (const [line, words] of Object.entries(moved)) {
    const routes = foreignRoutes([line], ownMetric).map(({ route }) => route);
    const entries = onInterface({ ...noEntries('d0'), routes }, 'br-ex');
    t.strictSame(wordsOf(entries, 'append'), [`route append ${words}`], line);
  }
  t.end();
});

t.test('routes that are not foreign', (t) => {
  const leftOut = {
    "the kernel's": 'unicast 169.254.169.0/29 dev d0 table main proto kernel scope link src 169.254.169.2 ',
    "a lease's": 'unicast default via 192.0.2.1 dev d0 table main proto dhcp scope global src 192.0.2.50 metric 100 ',
    "a router's": 'unicast default via fe80::1 dev d0 table main proto ra scope global metric 100 pref medium',
    "the agent's": 'unicast 10.46.0.0/16 dev d0 table main proto boot scope link metric 40000 ',
    'held by the agent': 'unicast default via 192.0.2.1 dev d0 table main proto 77 scope global metric 47 onlink ',
    'of no interface': 'blackhole 10.47.0.0/16 table main proto boot scope global ',
    'a rule': '77:\tfrom all iif d0 lookup 77 proto unspec',
  };
  for (const [which, line] of Object.entries(leftOut)) t.strictSame(foreignRoutes([line], ownMetric), [], which);
  const [byObject] = foreignRoutes(
    [
      'unicast 10.55.0.0/16 nhid 5 via 192.0.2.9 dev d0 table main proto boot scope global \\\tnh_info id 5 via 192.0.2.9 dev d0',
    ],
    ownMetric,
  );
  t.match(byObject, { byObject: true, interfaces: ['d0'] });
  t.end();
});

t.test('a route by a gateway comes after the route to that gateway', (t) => {
  const lines = [
    'unicast 10.43.0.0/16 via 169.254.169.4 dev d0 table main proto boot scope global ',
    'unicast 169.254.169.4 dev d0 table main proto boot scope link ',
  ];
  const routes = foreignRoutes(lines, ownMetric).map(({ route }) => route);
  t.strictSame(wordsOf({ ...noEntries('d0'), routes }, 'append'), [
    'route append 169.254.169.4/32 dev d0 scope link',
    'route append 10.43.0.0/16 via 169.254.169.4 dev d0 scope global',
  ]);
  t.end();
});

t.test('policy rules', (t) => {
  const lines = [
    '0:\tfrom all lookup local proto kernel',
    '77:\tnot from 1.2.3.0/24 tos 0x10 iif d0 oif d1 sport 5-6 dport 8 lookup 77 suppress_prefixlength 0 proto unspec',
    '78:\tfrom all iif d0 [detached] lookup [l3mdev-table] tun_id 7 proto static',
  ];
  const rules = lines.flatMap((line) => parseRule(line, 4) ?? []);
  const entries: KernelEntries = onInterface({ ...noEntries('d0'), rules }, 'br-ex');
  t.strictSame(ruleWords(entries, 4, 'add'), [
    'rule add pref 77 not from 1.2.3.0/24 tos 0x10 iif br-ex oif d1 sport 5-6 dport 8 lookup 77 suppress_prefixlength 0',
    'rule add pref 78 from all iif br-ex l3mdev tun_id 7 proto static',
  ]);
  t.strictSame(ruleWords(entries, 6, 'add'), []);
  t.end();
});

t.test('an entry of two lists occurs once in the joined list', (t) => {
  const address = { address: '192.0.2.60/24', metric: null, noDad: false, deprecated: false };
  const one: KernelEntries = { ...noEntries('br-ex'), addresses: [address] };
  t.strictSame(joined(one, { ...one, addresses: [{ ...address, noDad: true }] }), one);
  t.end();
});

t.test('a held address keeps its lifetimes', (t) => {
  const held = { metric: ownMetric, noDad: true, deprecated: false };
  const shown = { family: 'inet6', prefixlen: 64, scope: 'global', noprefixroute: true } as const;
  const entries = {
    ...noEntries('br-ex'),
    addresses: ['2001:db8::50/64', '2001:db8:1::50/64', '2001:db8:2::50/64', '2001:db8:3::50/64'].map((address) => ({
      address,
      ...held,
    })),
  };
  const words = wordsOf(
    keepLifetimes(entries, [
      { ...shown, local: '2001:db8::50', dynamic: true, valid_life_time: 1800, preferred_life_time: 900 },
      {
        ...shown,
        local: '2001:db8:1::50',
        dynamic: true,
        deprecated: true,
        valid_life_time: 1800,
        preferred_life_time: 0,
      },
      { ...shown, local: '2001:db8:2::50', ...forEver },
    ]),
    'replace',
  );
  const add = (address: string): string => `address replace ${address} dev br-ex metric 40000 nodad`;
  t.strictSame(words.toSorted(), [
    `${add('2001:db8:1::50/64')} valid_lft 1800 preferred_lft 0`,
    add('2001:db8:2::50/64'),
    add('2001:db8:3::50/64'),
    `${add('2001:db8::50/64')} valid_lft 1800 preferred_lft 900`,
  ]);
  t.end();
});
