import { Variant } from 'dbus-next/lib/variant.js';
import t from 'tap';
import { decodeVariant, encodeVariant, toPlain } from '../../../agent/drivers/dbus/codec.ts';
import { decodeSettings, encodeSettings } from '../../../agent/drivers/networkmanager/nm-settings.ts';
import type { SettingValue } from '../../../agent/model/profile-settings.ts';

/** Values of dbus-next, each with its JSON. */
const twins: readonly (readonly [name: string, wire: Variant, json: SettingValue])[] = [
  ['a string', new Variant('s', 'br-ex'), ['s', 'br-ex']],
  ['a boolean', new Variant('b', false), ['b', false]],
  ['a negative number', new Variant('i', -1), ['i', -1]],
  ['a safe 64-bit number', new Variant('x', 48n), ['x', 48]],
  ['the smallest int64', new Variant('x', -(2n ** 63n)), ['x', '-9223372036854775808']],
  ['the largest uint64', new Variant('t', 2n ** 64n - 1n), ['t', '18446744073709551615']],
  ['the last safe number', new Variant('t', 9_007_199_254_740_991n), ['t', 9_007_199_254_740_991]],
  ['the first unsafe one', new Variant('t', 9_007_199_254_740_992n), ['t', '9007199254740992']],
  ['bytes', new Variant('ay', Buffer.from([0, 255, 16])), ['ay', '00ff10']],
  ['no bytes', new Variant('ay', Buffer.alloc(0)), ['ay', '']],
  ['a list', new Variant('as', ['a', 'b']), ['as', ['a', 'b']]],
  ['an empty list', new Variant('as', []), ['as', []]],
  ['a list of byte strings', new Variant('aay', [Buffer.from('ab')]), ['aay', ['6162']]],
  ['a dictionary', new Variant('a{ss}', { mode: 'active-backup' }), ['a{ss}', { mode: 'active-backup' }]],
  [
    'a dictionary in a dictionary',
    new Variant('a{sv}', { outer: new Variant('a{sv}', { inner: new Variant('t', 2n ** 60n) }) }),
    ['a{sv}', { outer: ['a{sv}', { inner: ['t', '1152921504606846976'] }] }],
  ],
  [
    'a list of dictionaries',
    new Variant('aa{sv}', [{ address: new Variant('s', '192.0.2.50'), prefix: new Variant('u', 24) }]),
    ['aa{sv}', [{ address: ['s', '192.0.2.50'], prefix: ['u', 24] }]],
  ],
  [
    'structures',
    new Variant('a(ayuay)', [[Buffer.from([254, 128]), 64, Buffer.alloc(1)]]),
    ['a(ayuay)', [['fe80', 64, '00']]],
  ],
  [
    'complete types in a structure',
    new Variant('(sau(ii)a{sv})', ['s', [1], [2, 3], {}]),
    ['(sau(ii)a{sv})', ['s', [1], [2, 3], {}]],
  ],
  ['a structure with a variant', new Variant('(sv)', ['k', new Variant('x', 5n)]), ['(sv)', ['k', ['x', 5]]]],
  ['a variant', new Variant('v', new Variant('u', 7)), ['v', ['u', 7]]],
];

for (const [name, wire, json] of twins) {
  t.test(`${name}, decoded and encoded again`, (t) => {
    t.strictSame(decodeVariant(wire), json);
    t.strictSame(JSON.parse(JSON.stringify(decodeVariant(wire))), json, 'the decoded value can be written as JSON');
    t.strictSame(encodeVariant(json), wire);
    t.end();
  });
}

t.test('a value that does not fit its signature is refused', (t) => {
  t.throws(() => encodeVariant(['as', 'text']), TypeError);
  t.throws(() => encodeVariant(['(ss)', { a: 1 }]), TypeError);
  t.throws(() => encodeVariant(['(s', ['a']]), /unexpected end/);
  t.throws(() => encodeVariant(['ss', 'a']), TypeError);
  t.throws(() => encodeVariant(['(s)', ['a', 'b']]), TypeError);
  t.throws(() => decodeVariant('bare'), TypeError);
  t.end();
});

t.test('toPlain drops the signatures', (t) => {
  const wire = {
    a: new Variant('x', 5n),
    b: [new Variant('ay', Buffer.from('a'))],
    c: new Variant('v', new Variant('s', 'x')),
    d: undefined,
  };
  t.strictSame(toPlain(wire), { a: 5, b: ['61'], c: 'x', d: null });
  t.end();
});

t.test('of two forms of addresses, routes and DNS in settings, the newer one is read', (t) => {
  const legacy = new Variant('aau', [[1, 24, 2]]);
  const modern = new Variant('aa{sv}', []);
  const wire = {
    ipv4: {
      addresses: legacy,
      'address-data': modern,
      routes: legacy,
      'route-data': modern,
      dns: legacy,
      'dns-data': new Variant('as', []),
    },
    ipv6: { dns: new Variant('aay', [Buffer.alloc(16)]), method: new Variant('s', 'auto') },
    other: { addresses: new Variant('s', 'kept'), 'address-data': modern },
    '802-3-ethernet': {
      'mac-address-blacklist': new Variant('as', ['52:54:00:00:00:01']),
      'mac-address-denylist': new Variant('as', ['52:54:00:00:00:01']),
    },
    '802-1x': {
      'private-key': new Variant('ay', Buffer.from('-----BEGIN')),
      'phase2-private-key': new Variant('ay', Buffer.from('file:///etc/key.pem\0')),
    },
    empty: {},
  };
  const settings = decodeSettings(wire);
  t.strictSame(Object.keys(settings.ipv4 ?? {}), ['address-data', 'route-data', 'dns-data']);
  t.strictSame(
    Object.keys(settings.ipv6 ?? {}),
    ['dns', 'method'],
    'an older form without the newer one stays (NetworkManager < 1.42)',
  );
  t.strictSame(
    Object.keys(settings['802-3-ethernet'] ?? {}),
    ['mac-address-blacklist'],
    'of two names of a property, only one is kept',
  );
  t.strictSame(
    Object.keys(settings['802-1x'] ?? {}),
    ['phase2-private-key'],
    'a key is removed, and the path of a key file is kept',
  );
  t.strictSame(Object.keys(settings.other ?? {}), ['addresses', 'address-data'], 'only IP settings have an older form');
  t.strictSame(decodeSettings(encodeSettings(settings)), settings);
  for (const damaged of [null, [], 'x', { ipv4: [] }, { ipv4: null }])
    t.throws(() => decodeSettings(damaged), TypeError);
  t.end();
});
