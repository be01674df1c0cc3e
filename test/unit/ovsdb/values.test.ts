import t from 'tap';
import {
  type JsonObject,
  mapOf,
  namedUuid,
  readInteger,
  readString,
  readStringMap,
  readStrings,
  readUuids,
  setOf,
  uuid,
} from '../../../agent/drivers/ovsdb/index.ts';

const id = '550e8400-e29b-41d4-a716-446655440000';

t.test('wire form of values (RFC 7047 section 5.1)', async (t) => {
  t.strictSame(uuid(id), ['uuid', id]);
  t.strictSame(setOf([]), ['set', []]);
  t.strictSame(setOf(['a', namedUuid('port')]), ['set', ['a', ['named-uuid', 'port']]]);
  t.strictSame(mapOf({ 'bridge-uplink': 'eth0', a: '' }), [
    'map',
    [
      ['bridge-uplink', 'eth0'],
      ['a', ''],
    ],
  ]);
});

t.test('column readers accept an atom as a set of one element, and an absent value as empty', async (t) => {
  t.equal(readString('set'), 'set');
  t.equal(readString(['set', ['x']]), 'x');
  t.equal(readString(['set', []]), undefined);
  t.equal(readString(undefined), undefined);
  t.equal(readInteger(0), 0);
  t.equal(readInteger(['set', [65534]]), 65534);
  t.equal(readInteger(['set', []]), undefined);
  t.strictSame(readUuids(['uuid', id]), [id]);
  t.strictSame(
    readUuids([
      'set',
      [
        ['uuid', id],
        ['uuid', 'x'],
      ],
    ]),
    [id, 'x'],
  );
  t.strictSame(readUuids(undefined), []);
  t.strictSame(readStrings('a'), ['a']);
  t.strictSame(readStrings(['set', ['a', 'b']]), ['a', 'b']);
  t.strictSame(readStrings(undefined), []);
  t.strictSame(readStringMap(['map', [['a', 'b']]]), { a: 'b' });
  t.strictSame(readStringMap(['map', []]), {});
  t.strictSame(readStringMap(undefined), {});
  const hostile = readStringMap(['map', [['__proto__', 'x']]]);
  t.equal(Object.getPrototypeOf(hostile), Object.prototype, 'a hostile key does not replace the prototype');
});

t.test('column readers name the value that they found instead', async (t) => {
  const rounded = (JSON.parse('{"n":9007199254740993}') as JsonObject).n;
  const wrong: readonly (() => unknown)[] = [
    () => readString(1),
    () => readString(null),
    () => readString(['set', ['a', 'b']]),
    () => readString(['map', []]),
    () => readInteger('7'),
    () => readInteger(rounded),
    () => readInteger(1.5),
    () => readUuids('br-ex'),
    () => readUuids(['uuid', 1]),
    () => readStrings(['set', ['a', 1]]),
    () => readStringMap('a'),
    () => readStringMap(['set', [['a', 'b']]]),
    () => readStringMap(['map', 5]),
    () => readStringMap(['map', [['a', 1]]]),
    () => readStringMap(['map', [['a']]]),
  ];
  for (const read of wrong)
    t.throws(read, { name: 'OvsdbError', kind: 'protocol', message: /expected .* in the column, got "/ });
});
