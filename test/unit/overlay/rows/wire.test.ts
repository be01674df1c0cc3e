// Rows in the notation of RFC 7047 are decoded by the types of the schema, and large columns at their first use.
import t from 'tap';
import { decodedRow } from '../../../../agent/overlay/rows/wire.ts';

const shape = {
  vips: { kind: 'map', isReference: false },
  ports: { kind: 'set', isReference: true },
  name: { kind: 'one', isReference: false },
} as const;
const pairs = (count: number) =>
  Array.from({ length: count }, (_, index) => [`10.43.0.1:${index}`, `10.42.0.1:${index}`]);
const rowOf = (count: number) => ({
  _uuid: ['uuid', 'a'],
  name: 'one',
  other: 'a column that the shape lacks',
  vips: ['map', pairs(count)],
  ports: ['set', pairs(count).map(([name]) => ['uuid', name])],
});

for (const count of [0, 2, 99, 100, 5_000])
  t.test(`sets and maps of ${count}`, (t) => {
    const row = decodedRow(rowOf(count) as never, shape);
    t.same(Object.keys(row), ['name', 'vips', 'ports', '_uuid']);
    t.same(row, {
      name: 'one',
      vips: Object.fromEntries(pairs(count)),
      ports: pairs(count).map(([name]) => name),
      _uuid: 'a',
    });
    t.equal(row.vips, row.vips, 'each reading returns the same object');
    t.same({ ...row }, row, 'a copy has the same values');
    t.end();
  });

t.test('a large column is decoded when it is read', (t) => {
  let reads = 0;
  const watched = new Proxy(pairs(100), {
    get: (list, name) => {
      if (name === '0' || name === 'map') reads += 1;
      return Reflect.get(list, name);
    },
  });
  const row = decodedRow({ _uuid: ['uuid', 'a'], vips: ['map', watched] } as never, shape);
  t.equal(reads, 0);
  t.equal(Object.keys(row.vips as object).length, 100);
  t.not(reads, 0);
  const before = reads;
  t.equal(Object.keys(row.vips as object).length, 100);
  t.equal(reads, before, 'only once');
  t.end();
});

t.test('a set of one element is the bare element', (t) => {
  t.same(decodedRow({ ports: ['uuid', 'b'] } as never, shape).ports, ['b']);
  t.end();
});
