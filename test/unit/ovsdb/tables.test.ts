import t from 'tap';
import { applyDifference } from '../../../agent/drivers/ovsdb/difference.ts';
import type { Json } from '../../../agent/drivers/ovsdb/json.ts';
import { readSchema } from '../../../agent/drivers/ovsdb/schema.ts';
import { createTables, followedOf } from '../../../agent/drivers/ovsdb/tables.ts';

const many = { min: 0, max: 'unlimited' };
const schema = readSchema({
  name: 'Database',
  tables: {
    Port: {
      columns: {
        name: { type: 'string' },
        up: { type: { key: 'boolean', min: 0, max: 1 } },
        tag: { type: { key: { type: 'integer', maxInteger: 4095 }, min: 0, max: 1 } },
        weight: { type: 'real' },
        addresses: { type: { key: 'string', ...many } },
        options: { type: { key: 'string', value: 'string', ...many } },
        one: { type: { key: 'string', value: 'integer', min: 1, max: 1 } },
        owner: { type: { key: { type: 'uuid', refTable: 'Port' } } },
        peers: { type: { key: { type: 'uuid', refTable: 'Port' }, min: 0, max: 2 } },
      },
    },
  },
});
const port = schema.get('Port');
const id = (last: number): string => `00000000-0000-4000-8000-00000000000${last}`;
const ref = (last: number): Json => ['uuid', id(last)];

t.test('types and defaults (RFC 7047 sections 3.2 and 5.2.1)', async (t) => {
  t.strictSame(
    [...(port ?? [])].map(([name, type]) => [name, type.isMap, type.isComposite, type.byDefault]),
    [
      ['name', false, false, ''],
      ['up', false, false, ['set', []]],
      ['tag', false, false, ['set', []]],
      ['weight', false, false, 0],
      ['addresses', false, true, ['set', []]],
      ['options', true, true, ['map', []]],
      ['one', true, false, ['map', [['', 0]]]],
      ['owner', false, false, ['uuid', '00000000-0000-0000-0000-000000000000']],
      ['peers', false, true, ['set', []]],
    ],
  );
  for (const wrong of [null, 1, [], {}, { tables: { T: 1 } }, { tables: { T: { columns: { a: 'string' } } } }])
    t.throws(() => readSchema(wrong), { name: 'OvsdbError', kind: 'protocol' }, JSON.stringify(wrong));
});

t.test('differences (ovsdb-server(7) section 4.1.14)', async (t) => {
  const rows: readonly (readonly [what: string, column: string, old: Json, difference: Json, now: Json])[] = [
    ['one value comes whole', 'name', 'a', 'b', 'b'],
    ['also an optional one', 'tag', 5, 6, 6],
    ['and when it goes', 'tag', 5, ['set', []], ['set', []]],
    ['a set gets an element', 'addresses', 'a', 'b', ['set', ['a', 'b']]],
    ['and loses one', 'addresses', ['set', ['a', 'b']], 'a', 'b'],
    ['its last one', 'addresses', 'a', 'a', ['set', []]],
    ['both at once', 'addresses', ['set', ['b', 'c']], ['set', ['a', 'c']], ['set', ['a', 'b']]],
    ['references', 'peers', ref(1), ['set', [ref(1), ref(2)]], ref(2)],
    [
      'a map gets a pair',
      'options',
      ['map', [['b', '1']]],
      ['map', [['a', '2']]],
      [
        'map',
        [
          ['a', '2'],
          ['b', '1'],
        ],
      ],
    ],
    [
      'loses one',
      'options',
      [
        'map',
        [
          ['a', '2'],
          ['b', '1'],
        ],
      ],
      ['map', [['a', '2']]],
      ['map', [['b', '1']]],
    ],
    ['a value changes', 'options', ['map', [['a', '1']]], ['map', [['a', '2']]], ['map', [['a', '2']]]],
    ['a map of one pair comes whole', 'one', ['map', [['a', 1]]], ['map', [['b', 1]]], ['map', [['b', 1]]]],
  ];
  for (const [what, column, old, difference, now] of rows) {
    const type = port?.get(column);
    t.strictSame(type && applyDifference(type, old, difference), now, what);
  }
});

t.test('contents, changes, and contents again', async (t) => {
  const requests = { Port: { columns: ['name', 'addresses'], indexes: ['name', 'addresses'] } };
  const followed = followedOf(schema, requests);
  const tables = createTables(requests);
  const table = tables.table('Port');
  const row = (last: number, name: string, addresses: Json): object => ({ _uuid: ref(last), name, addresses });
  const none = ['set', []];

  const first = tables.apply(
    followed,
    { Port: { [id(1)]: { initial: { name: 'a' } }, [id(2)]: { initial: {} } } },
    true,
  );
  t.strictSame(
    first.map(({ old, now }) => [old, now]),
    [
      [undefined, row(1, 'a', none)],
      [undefined, row(2, '', none)],
    ],
  );
  const kept = table.get(id(2));
  const [change] = tables.apply(followed, { Port: { [id(1)]: { modify: { addresses: ['set', ['x', 'y']] } } } }, false);
  t.strictSame(change, {
    table: 'Port',
    uuid: id(1),
    old: row(1, 'a', none),
    now: row(1, 'a', ['set', ['x', 'y']]),
  });
  t.equal(change?.now?._uuid, change?.old?._uuid, 'an unchanged column has the same object');
  t.strictSame(table.find('addresses', 'y'), [change?.now]);
  t.strictSame(table.find('name', 'a'), [change?.now]);

  const whole = { Port: { [id(2)]: { initial: {} }, [id(3)]: { initial: { name: 'c' } } } };
  const again = tables.apply(followed, whole, true);
  t.strictSame(
    again.map(({ uuid, old, now }) => [uuid, old === undefined, now === undefined]),
    [
      [id(1), false, true],
      [id(3), true, false],
    ],
    'a second list of contents reports only differences',
  );
  t.equal(table.get(id(2)), kept, 'an unchanged row stays the same object');
  t.strictSame([table.find('addresses', 'y'), table.find('name', 'a'), table.size], [[], [], 2]);
  t.strictSame(tables.apply(followed, whole, true), []);
  t.equal(tables.apply(followed, { Port: { [id(3)]: { delete: null } } }, false).length, 1);
  t.strictSame(tables.apply(followed, { Port: { [id(3)]: { delete: null } }, Other: {} }, false), []);
});

t.test('rows by the value that a map has under a key', async (t) => {
  const requests = { Port: { indexes: ['options:unit', 'options:a:b'] } };
  const followed = followedOf(schema, requests);
  const tables = createTables(requests);
  const table = tables.table('Port');
  const options = (...pairs: readonly (readonly [string, string])[]) => ({ options: ['map', pairs] as const });
  const found = (index: string, value: string): number => table.find(index, value).length;
  const insert = (...pairs: readonly (readonly [string, string])[]) => ({ insert: options(...pairs) });
  const rows = { [id(1)]: insert(['unit', 'x'], ['other', 'y']), [id(2)]: insert(['unit', 'x'], ['a:b', 'c']) };
  tables.apply(followed, { Port: { ...rows, [id(3)]: { insert: {} } } }, true);
  t.strictSame([found('options:unit', 'x'), found('options:unit', 'y'), found('options:a:b', 'c')], [2, 0, 1]);
  t.strictSame([...table.values('options:unit')], ['x']);
  tables.apply(followed, { Port: { [id(1)]: { modify: options(['unit', 'z']) } } }, false);
  t.strictSame([...table.values('options:unit')].toSorted(), ['x', 'z']);
  t.strictSame([found('options:unit', 'x'), found('options:unit', 'z')], [1, 1]);
  tables.apply(followed, { Port: { [id(2)]: { modify: options(['unit', 'x']) } } }, false);
  t.strictSame([...table.values('options:unit')], ['z'], 'a removed key is not found');
  t.throws(() => table.values('options'), { name: 'OvsdbError', kind: 'invalid' });
});

t.test('a message that is not an update changes nothing', async (t) => {
  const requests = { Port: {} };
  const followed = followedOf(schema, requests);
  const tables = createTables(requests);
  const good = { [id(1)]: { insert: { name: 'a' } } };
  for (const wrong of [
    null,
    [],
    { Port: [] },
    { Port: { ...good, [id(2)]: null } },
    { Port: { ...good, [id(2)]: { insert: 1 } } },
    { Port: { ...good, [id(2)]: { modify: {} } } },
  ]) {
    const apply = (): unknown => tables.apply(followed, wrong as Json, false);
    t.throws(apply, { name: 'OvsdbError', kind: 'protocol' }, JSON.stringify(wrong));
    t.equal(tables.table('Port').size, 0);
  }
});
