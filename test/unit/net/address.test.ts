import { isIPv6 } from 'node:net';
import t from 'tap';
import {
  eui64Identifier,
  familyOf,
  familyOfZoned,
  interfaceIdentifier,
  ipv6Value,
  isLinkLocal6,
} from '../../../agent/net/address.ts';

t.test('familyOf', (t) => {
  const table: Readonly<Record<string, 4 | 6 | null>> = {
    '192.0.2.1': 4,
    '0.0.0.0': 4,
    '255.255.255.255': 4,
    '256.0.0.1': null,
    '192.0.2': null,
    '192.0.2.1.5': null,
    '192.0.2.1/24': null,
    '': null,
    eth0: null,
    '::': 6,
    '::1': 6,
    '2001:db8::1': 6,
    '2001:DB8::1': 6,
    '::ffff:192.0.2.1': 6,
    '1:2:3:4:5:6:7:8': 6,
    '1:2:3:4:5:6:7': null,
    '1::2::3': null,
    '1:2:3:4:5:6:7:8::': null,
    '12345::': null,
    '2001:db8::g': null,
    '::192.0.2.256': null,
    'fe80::1%eth0': null,
    ':': null,
  };
  for (const [text, family] of Object.entries(table)) t.equal(familyOf(text), family, JSON.stringify(text));
  t.end();
});

t.test('familyOf: the texts that node:net accepts as IPv6 without a zone', (t) => {
  const pieces = [
    '',
    '0',
    '1',
    'f',
    'ffff',
    '10000',
    'g',
    '::',
    ':',
    '.',
    '192.0.2.1',
    '192.0.02.1',
    '256.1.1.1',
    ']',
    '/',
    '%1',
  ];
  let state = 1;
  const next = (limit: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  const counts = { yes: 0, no: 0 };
  for (let i = 0; i < 50_000; i++) {
    const parts = Array.from({ length: 1 + next(9) }, () => pieces[next(next(2) === 0 ? 9 : pieces.length)]);
    const text = next(2) === 0 ? parts.join(':') : parts.join('');
    if (!text.includes(':')) continue;
    const expected = isIPv6(text) && !text.includes('%');
    counts[expected ? 'yes' : 'no'] += 1;
    if ((familyOf(text) === 6) !== expected) t.equal(familyOf(text), expected ? 6 : null, JSON.stringify(text));
  }
  t.ok(counts.yes > 500 && counts.no > 500, JSON.stringify(counts));
  t.end();
});

t.test('familyOfZoned', (t) => {
  const table: Readonly<Record<string, 4 | 6 | null>> = {
    '192.0.2.1': 4,
    '192.0.2.1%eth0': null,
    'fe80::1': 6,
    'fe80::1%eth0': 6,
    'fe80::1%eth0.100': 6,
    'fe80::1%br-ex': 6,
    'fe80::1%': null,
    'fe80::1%eth0%eth1': null,
    'fe80::1%eth 0': null,
    '%eth0': null,
    '': null,
  };
  for (const [text, family] of Object.entries(table)) t.equal(familyOfZoned(text), family, JSON.stringify(text));
  t.end();
});

t.test('ipv6Value: the examples of RFC 4291 section 2.2', (t) => {
  const table: Readonly<Record<string, string>> = {
    'ABCD:EF01:2345:6789:ABCD:EF01:2345:6789': 'abcdef0123456789abcdef0123456789',
    '2001:DB8:0:0:8:800:200C:417A': '20010db80000000000080800200c417a',
    '2001:DB8::8:800:200C:417A': '20010db80000000000080800200c417a',
    'FF01::101': 'ff010000000000000000000000000101',
    '::1': '00000000000000000000000000000001',
    '::': '00000000000000000000000000000000',
    '::13.1.68.3': '0000000000000000000000000d014403',
    '::FFFF:129.144.52.38': '00000000000000000000ffff81903426',
  };
  for (const [text, hex] of Object.entries(table)) t.equal(ipv6Value(text).toString(16).padStart(32, '0'), hex, text);
  t.end();
});

t.test('isLinkLocal6: fe80::/10 and no more', (t) => {
  for (const address of ['fe80::1', 'FE80::1', 'fe9f::', 'fea0::1', 'febf:ffff::1'])
    t.ok(isLinkLocal6(address), address);
  for (const address of ['fec0::1', 'fe7f::1', '2001:db8::fe80', 'ff02::1', '::1'])
    t.notOk(isLinkLocal6(address), address);
  t.end();
});

t.test('interface identifiers', (t) => {
  t.equal(interfaceIdentifier('2001:db8::5054:ff:feaa:1'), '::5054:ff:feaa:1');
  t.equal(interfaceIdentifier('2001:db8::1'), '::0:0:0:1');
  t.equal(interfaceIdentifier('no address'), null);
  // RFC 4291 appendix A: 34-56-78-9A-BC-DE becomes 36-56-78-FF-FE-9A-BC-DE
  t.equal(eui64Identifier('34:56:78:9a:bc:de'), '::3656:78ff:fe9a:bcde');
  t.equal(eui64Identifier('02:00:00:00:00:01'), '::0:ff:fe00:1');
  t.equal(
    interfaceIdentifier('fe80::5054:ff:feaa:1'),
    eui64Identifier('52:54:00:aa:00:01'),
    'both functions return the same identifier',
  );
  t.end();
});
