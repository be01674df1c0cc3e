import t from 'tap';
import { cpuListFault, normalizeCpuList } from '../../../agent/config/cpu-list.ts';
import { editDistance, nearest } from '../../../agent/config/nearest.ts';
import { familyOf } from '../../../agent/net/address.ts';
import { parseRange } from '../../../agent/net/address-range.ts';
import { interfaceNameFault } from '../../../agent/net/interface-name.ts';
import { misreadInName } from '../../../agent/plan/uplink/misread-name.ts';
import { escapeText, shellWord, visibleText } from '../../../agent/printable.ts';

t.test('interface names, as the kernel judges them', (t) => {
  for (const name of ['lo', 'eth0', 'enp0s31f6.12345', 'br-ex', 'a', '...', '12', 'wlan@0', 'ö', '-x']) {
    t.equal(interfaceNameFault(name), null, name);
  }
  for (const name of ['', '.', '..', 'a/b', 'a:b', 'a b', 'a\tb', 'a\u000bb', 'enp0s31f6.12345x', 'ëëëëëëëë', 'à']) {
    t.type(interfaceNameFault(name), 'string', JSON.stringify(name));
  }
  t.end();
});

t.test('interface names that a program would misread', (t) => {
  for (const name of ['eth0', 'enp0s31f6.12345', 'br-ex', 'wlan@0', 'ö', 'a-', '12a', 'x_y', 'a+b']) {
    t.equal(misreadInName(name), null, name);
  }
  const table: readonly (readonly [name: string, what: RegExp])[] = [
    ['eth#0', /#/],
    ['"eth0', /"/],
    ["eth'0", /'/],
    ['eth\\0', /\\/],
    ['eth\u001b0', /control/],
    ['eth\u20030', /white space/],
    ['eth\u202e0', /control/],
    ['-x', /front/],
    ['12', /digits/],
  ];
  for (const [name, what] of table) t.match(misreadInName(name) ?? '', what, JSON.stringify(name));
  t.end();
});

t.test('CPU lists', (t) => {
  t.equal(normalizeCpuList('0 1,2-3, 4'), '0,1,2-3,4');
  for (const list of ['0', '0-0', '0-8191', '3,1-2']) t.equal(cpuListFault(list), null, list);
  for (const list of ['1-0', '8192', '0,0-9999', '0,4-3']) t.type(cpuListFault(list), 'string', list);
  t.end();
});

t.test('addresses and ranges', (t) => {
  const four = ['0.0.0.0', '192.0.2.1', '255.255.255.255'];
  const six = [
    '::',
    '::1',
    'fd01::',
    '1:2:3:4:5:6:7:8',
    'fe80::1:2',
    '::ffff:192.0.2.1',
    '1:2:3:4:5:6:192.0.2.1',
    'FD00::A',
  ];
  const none = [
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.0.0.1',
    '01.2.3.4',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '12345::',
    '::1%eth0',
    '1:2:3:4:5:6:7::8',
    'g::',
    '::192.0.2',
    '192.0.2.1::',
    '1.2.3.4 ',
  ];
  for (const text of four) t.equal(familyOf(text), 4, text);
  for (const text of six) t.equal(familyOf(text), 6, text);
  for (const text of none) t.equal(familyOf(text), null, text);
  for (const text of ['10.0.0.0/0', '10.42.0.0/16', '10.0.0.1/32']) t.equal(parseRange(text)?.family, 4, text);
  for (const text of ['fd01::/48', '::/0', '::1/128']) t.equal(parseRange(text)?.family, 6, text);
  for (const text of [
    '10.0.0.0',
    '10.0.0.0/',
    '/16',
    '10.0.0.0/33',
    '10.0.0.0/016',
    '::/129',
    '10.0.0.0/16/1',
    'x/16',
  ]) {
    t.equal(parseRange(text), null, text);
  }
  t.end();
});

t.test('the known word that is most similar to a wrong one', (t) => {
  t.equal(editDistance('mtu', 'mut'), 1);
  t.equal(editDistance('', 'abc'), 3);
  t.equal(editDistance('kitten', 'sitting'), 3);
  t.equal(nearest('UPLINK', ['mtu', 'uplink']), 'uplink');
  t.equal(nearest('colour', ['mtu', 'uplink']), null);
  t.equal(nearest('u'.repeat(65), ['uplink']), null);
  t.end();
});

t.test('text of other programs is safe to print', (t) => {
  t.equal(escapeText('a\u001b[31m\u202e\n\r\t\ud800ä😀'), 'a\\u{1b}[31m\\u{202e}\\n\\r\\t\\u{d800}ä😀');
  t.equal(escapeText('😀😀😀', 2), '😀😀…');
  t.equal(escapeText('a\u00a0b\u00adc\u2009d\u3000e f'), 'a\\u{a0}b\\u{ad}c\\u{2009}d\\u{3000}e f');
  t.equal(visibleText('\u0435th0 ä…😀'), '\\u{435}th0 \\u{e4}\\u{2026}\\u{1f600}');
  t.equal(visibleText('\u0435th0', 2), '\\u{435}t…');
  t.end();
});

t.test('a text is quoted so that a shell reads it as one word', (t) => {
  for (const [text, wanted] of [
    ['bond0.100', 'bond0.100'],
    ['Wired connection 1', "'Wired connection 1'"],
    ["it's", "'it'\\''s'"],
    ['$(reboot)', "'$(reboot)'"],
    ['', "''"],
  ] as const)
    t.equal(shellWord(text), wanted);
  t.end();
});
