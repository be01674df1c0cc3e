import t from 'tap';
import {
  jsonOf,
  listOf,
  numberOf,
  type ProfileSettings,
  stringsOf,
  textOf,
} from '../../../agent/model/profile-settings.ts';

const settings: ProfileSettings = {
  user: { data: ['a{ss}', { a: 'b' }] },
  ipv4: {
    method: ['s', 'manual'],
    'may-fail': ['b', false],
    'route-metric': ['x', 48],
    'address-data': ['aa{sv}', [{ address: ['s', '192.0.2.1'], prefix: ['u', 24] }]],
  },
};

t.test('properties that are set', (t) => {
  t.equal(textOf(settings, 'ipv4', 'method'), 'manual');
  t.equal(textOf(settings, 'ipv4', 'route-metric'), undefined, 'a number is not returned as text');
  t.equal(numberOf(settings, 'ipv4', 'route-metric'), 48);
  t.equal(numberOf({ ipv4: { 'route-metric': ['x', '9007199254740993'] } }, 'ipv4', 'route-metric'), 2 ** 53);
  t.equal(jsonOf(settings, 'ipv4', 'may-fail'), false);
  t.strictSame(stringsOf(settings, 'user', 'data'), { a: 'b' });
  t.strictSame(listOf(settings, 'ipv4', 'address-data'), [{ address: '192.0.2.1', prefix: 24 }]);
  t.end();
});

t.test('properties that are not set', (t) => {
  for (const [from, name] of [
    [settings, 'ipv4'],
    [settings, 'ipv6'],
    [null, 'ipv4'],
    [undefined, 'ipv4'],
  ] as const) {
    for (const read of [textOf, numberOf, jsonOf]) t.equal(read(from, name, 'gateway'), undefined);
    t.strictSame(stringsOf(from, name, 'gateway'), {});
    t.strictSame(listOf(from, name, 'gateway'), []);
  }
  t.end();
});
