import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { fileText } from '../../../agent/drivers/host/files/kernel-files.ts';
import { readLinks } from '../../../agent/drivers/host/kernel/links.ts';
import { readKernelAdvertisedRoutes, readRoutes } from '../../../agent/drivers/host/kernel/routes.ts';
import { compressIpv6 } from '../../../agent/net/address.ts';

function rootWith(t: Test, files: Readonly<Record<string, string>>): string {
  const root = t.testdir({});
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

function device(name: string, index: number, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const attributes = {
    address: '52:54:00:aa:00:01',
    mtu: 1500,
    flags: '0x1003',
    carrier: 1,
    type: 1,
    uevent: `INTERFACE=${name}\nIFINDEX=${index}`,
    ...more,
  };
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [`sys/class/net/${name}/${key}`, `${value}\n`]),
  );
}

t.test('links', (t) => {
  const root = rootWith(t, {
    ...device('fixture0', 7),
    ...device('fixture0.100', 8, { uevent: 'DEVTYPE=vlan\nINTERFACE=fixture0.100\nIFINDEX=8', mtu: '9000' }),
    ...device('fixturewlan', 9, {
      uevent: 'DEVTYPE=wlan\nINTERFACE=fixturewlan\nIFINDEX=9',
      flags: '0x1002',
      carrier: '',
    }),
    ...device('fixturetun', 10, { tun_flags: '0x5001', type: '65534', address: '' }),
    'sys/class/net/bonding_masters': 'bond0\n',
    'proc/net/if_inet6': [
      'fe80000000000000505400fffeaa0001 07 40 20 80 fixture0',
      '20010db8000000000000000000000050 07 40 00 40 fixture0',
      '20010db8000000000000000000000051 07 80 00 29 fixture0',
      '',
    ].join('\n'),
  });
  const drivers = join(root, 'drivers/virtio_net');
  mkdirSync(drivers, { recursive: true });
  mkdirSync(join(root, 'sys/class/net/fixture0/device'));
  symlinkSync(drivers, join(root, 'sys/class/net/fixture0/device/driver'));
  symlinkSync('../ovs-system', join(root, 'sys/class/net/fixture0/master'));
  const links = readLinks(root);
  t.strictSame(links.map((link) => link.name).toSorted(), ['fixture0', 'fixture0.100', 'fixturetun', 'fixturewlan']);
  const found = (name: string) => links.find((link) => link.name === name);
  t.match(found('fixture0'), {
    index: 7,
    mac: '52:54:00:aa:00:01',
    mtuBytes: 1500,
    up: true,
    carrier: true,
    hardwareType: 1,
    kind: null,
    driver: 'virtio_net',
    master: 'ovs-system',
  });
  t.match(found('fixture0.100'), { kind: 'vlan', mtuBytes: 9000, driver: null, master: null, addresses: [] });
  t.match(found('fixturewlan'), { kind: 'wlan', up: false, carrier: false });
  t.match(found('fixturetun'), { kind: 'tun', hardwareType: 65_534, mac: '' });
  t.match(found('fixture0')?.addresses, [
    { family: 6, address: 'fe80::5054:ff:feaa:1', prefixLength: 64, scope: 'link', tentative: false },
    { address: '2001:db8::50', scope: 'global', tentative: true, dadFailed: false },
    {
      address: '2001:db8::51',
      prefixLength: 128,
      tentative: false,
      dadFailed: true,
      temporary: true,
      deprecated: true,
    },
  ]);
  t.end();
});

t.test('links of a machine without IPv6', (t) => {
  t.strictSame(readLinks(rootWith(t, device('fixture0', 2)))[0]?.addresses, []);
  t.end();
});

t.test('addresses of a link without a carrier', (t) => {
  const leaf = (address: string, route: string): string => `     |-- ${address}\n        ${route}\n`;
  const root = rootWith(t, {
    ...device('fixture0', 7, { carrier: '0' }),
    ...device('fixture1', 8),
    'proc/net/fib_trie': [
      'Main:\n  +-- 0.0.0.0/0 3 0 5\n',
      leaf('192.0.2.0', '/24 link UNICAST'),
      leaf('192.0.2.50', '/32 host LOCAL'),
      'Local:\n  +-- 0.0.0.0/0 3 0 5\n',
      leaf('127.0.0.1', '/32 host LOCAL'),
      leaf('192.0.2.50', '/32 host LOCAL'),
      leaf('192.0.2.255', '/32 link BROADCAST'),
      leaf('203.0.113.9', '/32 host LOCAL'),
    ].join(''),
    'proc/net/route': [
      'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
      'fixture0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0',
      'fixture0\t000200C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0',
      'fixture1\t007100CB\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0',
      '',
    ].join('\n'),
  });
  const links = readLinks(root);
  t.match(links.find((link) => link.name === 'fixture0')?.addresses, [
    { family: 4, address: '192.0.2.50', prefixLength: 24, scope: 'global', tentative: false },
  ]);
  t.strictSame(
    links.find((link) => link.name === 'fixture1')?.addresses,
    [],
    'the addresses of a link with a carrier are not read from these files',
  );
  t.end();
});

t.test('routes', (t) => {
  const root = rootWith(t, {
    'proc/net/route': [
      'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
      'eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0',
      'ppp0\t00000000\t00000000\t0001\t0\t0\t50\t00000000\t0\t0\t0',
      'eth0\t00000000\t00000000\t0003\t0\t0\t200\t00000000\t0\t0\t0',
      'eth0\t000200C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0',
      'eth0\t0002000A\t00000000\t0000\t0\t0\t0\t00FFFFFF\t0\t0\t0',
      '*\t0003000A\t00000000\t0201\t0\t0\t0\t00FFFFFF\t0\t0\t0',
      '',
    ].join('\n'),
    'proc/net/ipv6_route': [
      '20010db8000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000400 00000001 00000000 00000001     eth0',
      '00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000030 00000001 00000000 00000003    br-ex',
      '00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00450003    br-ex',
      '20010db8000000000000000000000050 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000001 00000000 80200001     eth0',
      'ff000000000000000000000000000000 08 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0',
      '00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo',
      '',
    ].join('\n'),
  });
  t.strictSame(readRoutes(root), [
    { family: 4, destination: '0.0.0.0/0', gateway: '192.0.2.1', device: 'eth0', metric: 100 },
    { family: 4, destination: '0.0.0.0/0', gateway: null, device: 'ppp0', metric: 50 },
    { family: 4, destination: '0.0.0.0/0', gateway: null, viaIpv6: true, device: 'eth0', metric: 200 },
    { family: 4, destination: '192.0.2.0/24', gateway: null, device: 'eth0', metric: 100 },
    { family: 6, destination: '2001:db8::/64', gateway: null, device: 'eth0', metric: 1024 },
    { family: 6, destination: '::/0', gateway: 'fe80::1', device: 'br-ex', metric: 48 },
    { family: 6, destination: '::/0', gateway: 'fe80::1', device: 'br-ex', metric: 1024 },
  ]);
  const taken = [{ family: 6, destination: '::/0', gateway: 'fe80::1', device: 'br-ex', metric: 1024 }];
  t.strictSame(
    readKernelAdvertisedRoutes(root),
    taken,
    'routes that the kernel itself took from router advertisements',
  );
  t.strictSame(readRoutes(t.testdir({})), [], 'without the files of the kernel, the list of routes is empty');
  t.end();
});

t.test('a path that is not a file causes no wait', (t) => {
  const root = rootWith(t, { file: 'text\n' });
  execFileSync('mkfifo', [join(root, 'fifo')]);
  t.equal(fileText(join(root, 'file')), 'text');
  for (const name of ['fifo', '', 'missing']) t.equal(fileText(join(root, name)), null, name);
  t.end();
});

t.test('compressIpv6: RFC 5952 section 4', (t) => {
  const table: Readonly<Record<string, string>> = {
    '20010db8000000000000000000000001': '2001:db8::1',
    '00000000000000000000000000000000': '::',
    '00000000000000000000000000000001': '::1',
    '20010000000000000000000000000000': '2001::',
    '20010db8000000000001000000000001': '2001:db8::1:0:0:1',
    '20010db8000000010001000100010001': '2001:db8:0:1:1:1:1:1',
    '20010000000100000000000100000001': '2001:0:1::1:0:1',
    '20010db800010002000300040005abcd': '2001:db8:1:2:3:4:5:abcd',
  };
  for (const [hex, text] of Object.entries(table)) t.equal(compressIpv6(hex), text);
  t.end();
});
