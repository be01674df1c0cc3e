import t from 'tap';
import { readHints } from '../../../agent/facts/hints.ts';
import { type ObservePorts, observe, parseResolver } from '../../../agent/facts/observe.ts';
import type { Link, NetworkManagerFacts, NmDevice, OvsFacts } from '../../../agent/model/observation.ts';

t.test('resolv.conf', (t) => {
  const none = { nameservers: [], search: [], options: [] };
  const table: readonly (readonly [text: string, wanted: object])[] = [
    ['', none],
    ['# nameserver 192.0.2.9\n; nameserver 192.0.2.9\nnameserver\n', none],
    ['nameserver 192.0.2.1\n  nameserver\t2001:db8::1  \n', { ...none, nameservers: ['192.0.2.1', '2001:db8::1'] }],
    ['domain a.example\nsearch b.example c.example\n', { ...none, search: ['b.example', 'c.example'] }],
    ['search b.example\ndomain a.example', { ...none, search: ['a.example'] }],
    ['options edns0\noptions rotate timeout:1\n', { ...none, options: ['edns0', 'rotate', 'timeout:1'] }],
    ['nameserver 192.0.2.1\r\n', { ...none, nameservers: ['192.0.2.1'] }],
  ];
  for (const [text, wanted] of table) t.strictSame(parseResolver(text), wanted, JSON.stringify(text));
  t.end();
});

t.test('hints: the first line that is not blank, trimmed', (t) => {
  const hint = (text: string | null) =>
    readHints((path) => (path === '/var/lib/ovnk/iface_default_hint' ? text : null)).interfaceHint;
  for (const [text, wanted] of [
    ['eth0\n', 'eth0'],
    ['  eth0  \neth1\n', 'eth0'],
    ['eth0\r\n', 'eth0'],
    ['\neth0\n', 'eth0'],
    [' \r\n\t\neth0\neth1\n', 'eth0'],
    ['\u00a0\neth0\u00a0\n', 'eth0'],
    ['\n \n', null],
    ['', null],
    ['"eth0"\n', 'eth0'],
    ["'eth0 '\n", 'eth0'],
    ['"eth0\n', '"eth0'],
    ['""\n', null],
    [null, null],
  ] as const)
    t.equal(hint(text), wanted, JSON.stringify(text));
  t.strictSame(
    readHints((path) => path),
    {
      interfaceHint: '/var/lib/ovnk/iface_default_hint',
      hintedNic: null,
      extraBridge: '/etc/ovnk/extra_bridge',
      defaultBridge: '/etc/ovnk/default_bridge',
      nodeIp: '/run/nodeip-configuration/primary-ip',
    },
  );
  t.end();
});

/** Functions that read a node without links and routes, on which Open vSwitch and NetworkManager run. */
const ports: ObservePorts = {
  tuning: () => ({}) as ReturnType<ObservePorts['tuning']>,
  hasProgram: () => true,
  hasTun: () => true,
  openvswitchModule: () => 'loaded',
  links: () => [],
  routes: () => [],
  signpost: () => false,
  foreign: async () => [],
  takesAdvertisements: () => false,
  readFile: (path: string) => (path.startsWith('/proc') ? 'value\n' : null),
  sshClient: () => '192.0.2.9',
  networkManager: () =>
    Promise.resolve({ version: '1.58.0', devices: [] as readonly NmDevice[] } as NetworkManagerFacts),
  ovs: () => Promise.resolve({ version: '4.0.0' } as OvsFacts),
};

t.test('a snapshot', async (t) => {
  const seen = await observe(ports);
  t.match(seen, {
    host: { bootId: 'value', hostname: 'value', sshPeer: '192.0.2.9' },
    networkManager: { version: '1.58.0' },
    ovs: { version: '4.0.0' },
  });
  await t.rejects(observe({ ...ports, ovs: () => Promise.reject(new Error('gone')) }), /gone/);
});

t.test('the record of the last uplink of br-ex', (t) => {
  const noted = (text: string) =>
    readHints((path) => (path === '/var/lib/microshift-net/uplink.json' ? text : null)).hintedNic;
  const nic = { interface: 'eth0', permanentMac: '52:54:00:AA:00:00' };
  t.strictSame(noted(`${JSON.stringify(nic)}\n`), nic);
  for (const damaged of [
    '',
    '{',
    'null',
    '[]',
    '"eth0"',
    '{"interface":"eth0"}',
    '{"interface":"eth0","permanentMac":null}',
  ])
    t.equal(noted(damaged), null, damaged);
  t.end();
});

t.test('the recorded identities of NICs', (t) => {
  const recorded = (text: string) => readHints((path) => (path.endsWith('/uplink.json') ? text : null)).identities;
  const values = {
    'ipv4.dhcp-client-id': '01:52:54:00:aa:00:00',
    'ipv6.dhcp-duid': '00:04:5b:92',
    'ipv6.dhcp-iaid': '4294967295',
    'ipv6.token': '::1:2:3:4',
  };
  const nic = { interface: 'bond0', profile: 'uuid', values, settings: { 'ipv4.dhcp-client-id': 'stable' } };
  const file = (...identities: unknown[]): string =>
    JSON.stringify({ interface: 'bond0', permanentMac: null, identities });
  t.strictSame(recorded(file(nic)), [nic], 'a bond is recorded without a permanent MAC');
  const refused = {
    'ipv4.dhcp-client-id': 'mac',
    'ipv6.dhcp-duid': '00',
    'ipv6.dhcp-iaid': '4294967296',
    'ipv6.token': '2001:db8::1',
    'ipv6.method': 'ignore',
  };
  t.strictSame(
    recorded(file({ ...nic, values: refused })),
    [{ ...nic, values: {} }],
    'values that NetworkManager refuses are left out',
  );
  const { settings: _, ...withoutSettings } = nic;
  t.equal(recorded(file(withoutSettings)), undefined, 'a record without settings counts as no record');
  for (const damaged of ['', '{', 'null', '[]', '{"identities":{}}', file(null), file({ interface: 'eth0' }), file(1)])
    t.equal(recorded(damaged), undefined, damaged);
  t.end();
});

t.test('permanent MACs are those that NetworkManager reports', async (t) => {
  const link = (name: string) => ({ name, permanentMac: null }) as Link;
  const device = (name: string, permanentHwAddress: string) => ({ interface: name, permanentHwAddress }) as NmDevice;
  const { links } = await observe({
    ...ports,
    links: () => [link('eth0'), link('eth1'), link('lo')],
    networkManager: async () =>
      ({
        devices: [device('eth0', '52:54:00:AA:00:00'), device('eth1', '')] as readonly NmDevice[],
      }) as NetworkManagerFacts,
  });
  t.strictSame(
    links.map((entry) => entry.permanentMac),
    ['52:54:00:AA:00:00', null, null],
  );
});
