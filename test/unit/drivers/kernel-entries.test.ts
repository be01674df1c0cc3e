// What of `ip -json` (iproute2 6.1) is somebody else's. The entries are as the program printed them for a link that had all of these.
import t from 'tap';
import { foreignAddresses, foreignRoutes } from '../../../agent/drivers/host/kernel-entries.ts';

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
  t.strictSame(foreignAddresses(ofOthers, ownMetric), [
    { address: '10.44.0.0/32', metric: null, noDad: false, deprecated: false },
    { address: '169.254.169.2/29', metric: 77, noDad: false, deprecated: false },
    { address: '169.254.7.7/16', metric: null, noDad: false, deprecated: false },
    { address: 'fd69::2/125', metric: null, noDad: true, deprecated: true },
  ]);
  const ofNobodyElse = {
    "NetworkManager's": {
      family: 'inet',
      local: '192.0.2.50',
      prefixlen: 24,
      scope: 'global',
      noprefixroute: true,
      ...forEver,
    },
    "a lease's": { family: 'inet', local: '198.51.100.7', prefixlen: 24, scope: 'global', dynamic: true },
    'a temporary one': { family: 'inet6', local: '2001:db8::7', prefixlen: 64, scope: 'global', temporary: true },
    "lo's own": { family: 'inet', local: '127.0.0.1', prefixlen: 8, scope: 'host', ...forEver },
    "the kernel's": { family: 'inet6', local: 'fe80::1', prefixlen: 64, scope: 'link', ...forEver },
    "the agent's": { family: 'inet', local: '203.0.113.1', prefixlen: 24, metric: 40_000, scope: 'global', ...forEver },
  } as const;
  for (const [whose, entry] of Object.entries(ofNobodyElse))
    t.strictSame(foreignAddresses([entry], ownMetric), [], whose);
  t.end();
});

t.test('IPv6 addresses that the kernel lists behind one of the node', (t) => {
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
    entry('fe80::1', false, 'link'),
  ];
  const foreign = { metric: null, noDad: false, deprecated: false };
  t.strictSame(foreignAddresses(listed, ownMetric), [
    { address: '2001:db8::3/64', ...foreign },
    { address: '2001:db8::1/64', ...foreign, behindOwn: true },
  ]);
  t.end();
});

t.test('routes', (t) => {
  const ofOthers = [
    { dst: '10.43.0.0/16', gateway: '169.254.169.4', flags: [], metrics: [{ mtu: 1400 }] },
    { dst: 'default', gateway: '169.254.169.4', table: '7', prefsrc: '169.254.169.2', metric: 300, flags: [] },
    { dst: 'default', gateway: 'fd69::4', metric: 1024, flags: [], pref: 'medium' },
    { dst: '10.51.0.0/16', protocol: 'bird', scope: 'link', flags: [] },
  ];
  const none = { gateway: null, source: null, metric: null, mtuBytes: null, table: null };
  t.strictSame(foreignRoutes(ofOthers, ownMetric), [
    { ...none, destination: '10.43.0.0/16', gateway: '169.254.169.4', mtuBytes: 1400 },
    { ...none, destination: '0.0.0.0/0', gateway: '169.254.169.4', source: '169.254.169.2', metric: 300, table: '7' },
    { ...none, destination: '::/0', gateway: 'fd69::4', metric: 1024 },
    { ...none, destination: '10.51.0.0/16' },
  ]);
  const leftOut = {
    "the kernel's": { dst: '169.254.169.0/29', protocol: 'kernel', scope: 'link', prefsrc: '169.254.169.2', flags: [] },
    "NetworkManager's": { dst: '10.45.0.0/16', protocol: 'static', scope: 'link', flags: [] },
    "the agent's": { dst: '10.46.0.0/16', scope: 'link', metric: 40_000, flags: [] },
    'through an IPv6 next hop': { dst: '10.47.0.0/16', via: { family: 'inet6', host: 'fe80::1' }, flags: [] },
    'through two next hops': {
      dst: '10.48.0.0/16',
      flags: [],
      nexthops: [
        { gateway: '169.254.169.4', dev: 'd0', weight: 1, flags: [] },
        { gateway: '169.254.169.5', dev: 'd0', weight: 1, flags: [] },
      ],
    },
    'not unicast': { type: 'local', dst: '10.44.0.0', table: 'local', scope: 'host', prefsrc: '10.44.0.0', flags: [] },
  };
  for (const [which, entry] of Object.entries(leftOut)) t.strictSame(foreignRoutes([entry], ownMetric), [], which);
  t.end();
});
