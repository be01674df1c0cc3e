import t from 'tap';
import {
  type Atom,
  mapOf,
  OvsdbError,
  optional,
  readBoolean,
  readNumber,
  readOptional,
  readSet,
  readString,
  readStringMap,
  readUuids,
  type Value,
} from '../../../agent/drivers/ovsdb/index.ts';
import { formatJson, type Json, parseJson } from '../../../agent/drivers/ovsdb/json.ts';
import { decodeRow, decodeValue, encodeRow, encodeValue } from '../../../agent/drivers/ovsdb/values.ts';
import { seededRandom } from './random.ts';

const uuid = '550e8400-e29b-41d4-a716-446655440000';

const twins: readonly { readonly value: Value; readonly wire: Json }[] = [
  { value: 'br-ex', wire: 'br-ex' },
  { value: 'set', wire: 'set' },
  { value: 7, wire: 7 },
  { value: -0.5, wire: -0.5 },
  { value: true, wire: true },
  { value: 9223372036854775807n, wire: 9223372036854775807n },
  { value: { uuid }, wire: ['uuid', uuid] },
  { value: { namedUuid: 'port' }, wire: ['named-uuid', 'port'] },
  { value: [], wire: ['set', []] },
  { value: ['a'], wire: ['set', ['a']] },
  { value: ['set', 'map'], wire: ['set', ['set', 'map']] },
  { value: [{ uuid }, { namedUuid: 'x' }], wire: ['set', [['uuid', uuid], ['named-uuid', 'x']]] }, // biome-ignore format: one row
  { value: optional(undefined), wire: ['set', []] },
  { value: optional(0), wire: ['set', [0]] },
  { value: new Map(), wire: ['map', []] },
  { value: mapOf({ 'bridge-uplink': 'eth0', __proto__x: '' }), wire: ['map', [['bridge-uplink', 'eth0'], ['__proto__x', '']]] }, // biome-ignore format: one row
  { value: new Map<Atom, Atom>([[0, { uuid }]]), wire: ['map', [[0, ['uuid', uuid]]]] },
];

t.test('encode and decode are twins', async (t) => {
  for (const { value, wire } of twins) {
    t.strictSame(encodeValue(value), wire);
    t.strictSame(decodeValue(wire), value);
    t.strictSame(decodeValue(parseJson(formatJson(encodeValue(value)))), value, 'also as text');
  }
});

t.test('rows', async (t) => {
  const row = { name: 'br-ex', ports: [{ uuid }], external_ids: mapOf({ a: 'b' }) };
  t.strictSame(decodeRow(encodeRow(row)), row);
  const hostile = decodeRow(parseJson('{"__proto__":"x","name":"y"}'));
  t.equal(Object.getPrototypeOf(hostile), Object.prototype, 'a column cannot replace the prototype');
  for (const wrong of [undefined, null, [], 'x', { name: null }, { name: ['uuid', 1] }, { name: ['map', [['a']]] }]) {
    t.throws(() => decodeRow(wrong as Json), { name: 'OvsdbError', kind: 'protocol', message: /malformed/ });
  }
});

t.test('what no column can hold is a defect of the caller', async (t) => {
  for (const wrong of [2 ** 53, 2n ** 63n, null, {}, { a: 'b' }, [['nested']], () => {}, undefined, Symbol('x')]) {
    t.throws(() => formatJson(encodeValue(wrong as Value)), TypeError, String(typeof wrong));
  }
  t.throws(() => formatJson(encodeValue(Number.NaN)), TypeError);
  t.throws(() => formatJson(encodeValue(Number.POSITIVE_INFINITY)), TypeError);
});

t.test('integers keep all 64 bits, and only integers', async (t) => {
  const exact = '{"a":9007199254740993,"b":-9223372036854775808,"c":[9223372036854775807],"9007199254740993":1}';
  t.equal(formatJson(parseJson(exact)), '{"a":9007199254740993,"b":-9223372036854775808,"c":[9223372036854775807],"9007199254740993":1}'); // biome-ignore format: one line
  t.strictSame(
    parseJson('[9007199254740991,1234567.125000000000000000,1e300,-90071992547409920e2]'),
    [9007199254740991, 1234567.125, 1e300, -9007199254740992000],
  );
  t.strictSame(parseJson('{"s":"9007199254740993 \\" 9007199254740993\\\\","n":9007199254740993}'), {
    s: '9007199254740993 " 9007199254740993\\',
    n: 9007199254740993n,
  });
  t.strictSame(parseJson('{"s":"{\\"$int64\\":\\"9007199254740993\\"}","n":9007199254740993}'), {
    s: '{"$int64":"9007199254740993"}',
    n: 9007199254740993n,
  });
  t.throws(() => parseJson('{"n":9007199254740993,}'), { name: 'OvsdbError', kind: 'protocol' });
});

t.test('random values survive the round trip', async (t) => {
  const random = seededRandom(3);
  const characters = ['a', '"', '\\', '}', 'ü', '😀', '\n', '\u0000', ' '];
  const atom = (): Atom => {
    const string = Array.from({ length: random(6) }, () => characters[random(characters.length)]).join('');
    const any: readonly Atom[] = [string, random(1e9) - 5e8, BigInt(random(1e9)) * 10n ** 9n + 9007199254740993n, random(2) === 0, { uuid }, { namedUuid: string }]; // biome-ignore format: one line
    return any[random(any.length)] as Atom;
  };
  for (let round = 0; round < 500; round++) {
    const atoms = Array.from({ length: random(4) }, atom);
    const values: readonly Value[] = [atom(), atoms, new Map(atoms.map((key) => [key, atom()]))];
    const value = values[random(3)] as Value;
    t.strictSame(decodeValue(parseJson(formatJson(encodeValue(value)))), value);
  }
});

t.test('column readers take an atom and a set of one alike', async (t) => {
  t.strictSame(readSet('a'), ['a']);
  t.strictSame(readSet(['a', 'b']), ['a', 'b']);
  t.strictSame(readSet(undefined), []);
  t.equal(readOptional([]), undefined);
  t.equal(readOptional(5n), 5n);
  t.equal(readString(['x']), 'x');
  t.equal(readNumber(0), 0);
  t.equal(readNumber([]), undefined);
  t.equal(readBoolean(false), false);
  t.strictSame(readUuids({ uuid }), [uuid]);
  t.strictSame(readUuids([{ uuid }, { uuid: 'x' }]), [uuid, 'x']);
  t.strictSame(readUuids(undefined), []);
  t.strictSame(readStringMap(mapOf({ a: 'b' })), { a: 'b' });
  t.strictSame(readStringMap([]), {});
  t.strictSame(readStringMap(undefined), {});
});

t.test('column readers name what they found instead', async (t) => {
  const wrong: readonly (() => unknown)[] = [
    () => readSet(new Map()),
    () => readOptional(['a', 'b']),
    () => readString(1),
    () => readNumber(2n ** 60n),
    () => readBoolean('true'),
    () => readUuids('br-ex'),
    () => readStringMap('a'),
    () => readStringMap(new Map<Atom, Atom>([['a', 1]])),
  ];
  for (const read of wrong)
    t.throws(read, { name: 'OvsdbError', kind: 'protocol', message: /expected .* in the column, got/ });
  t.ok(new OvsdbError('lost', 'x') instanceof Error);
});
