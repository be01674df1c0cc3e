import t from 'tap';
import { nmcliProperty, nmcliValue } from '../../../agent/compare/nmcli-words.ts';

t.test('a property and its value, as they are entered in nmcli', (t) => {
  const rule = { priority: ['u', 100], from: ['s', '192.0.2.0'], 'from-len': ['y', 24], table: ['u', 200] };
  const routes = [
    { dest: ['s', '198.51.100.0'], prefix: ['u', 24], 'next-hop': ['s', '192.0.2.9'], metric: ['u', 50] },
    { dest: ['s', '203.0.113.0'], prefix: ['u', 24], table: ['u', 5], onlink: ['b', true] },
  ];
  const table: readonly (readonly [setting: string, key: string, text: string, words: string])[] = [
    ['ipv4', 'dns-data', '["9.9.9.9","192.0.2.1"]', 'ipv4.dns 9.9.9.9, 192.0.2.1'],
    [
      'ipv4',
      'route-data',
      JSON.stringify(routes),
      'ipv4.routes 198.51.100.0/24 192.0.2.9 50, 203.0.113.0/24 table=5 onlink=true',
    ],
    ['ipv4', 'routing-rules', JSON.stringify([rule]), 'ipv4.routing-rules priority 100 from 192.0.2.0/24 table 200'],
    [
      'ipv4',
      'routing-rules',
      JSON.stringify([{ ...rule, iifname: ['s', 'eth0'], invert: ['b', true] }]),
      'ipv4.routing-rules not priority 100 from 192.0.2.0/24 iif eth0 table 200',
    ],
    ['ipv4', 'dhcp-timeout', '2147483647', 'ipv4.dhcp-timeout infinity'],
    ['ipv4', 'never-default', 'true', 'ipv4.never-default yes'],
    ['ipv6', 'addr-gen-mode', '0', 'ipv6.addr-gen-mode eui64'],
    ['ipv4', 'dns-search', '[]', 'ipv4.dns-search (empty)'],
    ['connection', 'zone', 'trusted', 'connection.zone trusted'],
    ['connection', 'zone', '[odd', 'connection.zone [odd'],
    ['802-3-ethernet', 'assigned-mac-address', 'random', '802-3-ethernet.cloned-mac-address random'],
    ['bond', 'options', '{"mode":"active-backup","miimon":"50"}', 'bond.options mode=active-backup,miimon=50'],
    ['user', 'data', '{}', 'user.data (empty)'],
    ['tc', 'qdiscs', '[{"kind":["s","fq"]}]', 'tc.qdiscs kind=fq'],
  ];
  for (const [setting, key, text, words] of table)
    t.equal(`${nmcliProperty(setting, key)} ${nmcliValue(setting, key, text)}`, words);
  t.end();
});
