import t from 'tap';
import {
  abort,
  assertLock,
  comment,
  commit,
  deleteRows,
  insert,
  mapOf,
  mutate,
  select,
  update,
  wait,
} from '../../../agent/drivers/ovsdb/index.ts';
import { encodeOperation } from '../../../agent/drivers/ovsdb/operations.ts';
import { readResults, refusedCall } from '../../../agent/drivers/ovsdb/results.ts';

const where = [['name', '==', 'br-ex']] as const;

t.test('wire form of each operation (RFC 7047 section 5.2)', async (t) => {
  t.strictSame(encodeOperation(insert('Bridge', { name: 'br-ex', ports: [] }, { uuidName: 'b' })), {
    op: 'insert',
    table: 'Bridge',
    row: { name: 'br-ex', ports: ['set', []] },
    'uuid-name': 'b',
  });
  t.strictSame(encodeOperation(insert('Bridge', {})), { op: 'insert', table: 'Bridge', row: {} });
  t.strictSame(encodeOperation(select('Bridge', where)), {
    op: 'select',
    table: 'Bridge',
    where: [['name', '==', 'br-ex']],
  });
  t.strictSame(encodeOperation(select('Bridge', [], ['name'])), {
    op: 'select',
    table: 'Bridge',
    where: [],
    columns: ['name'],
  });
  t.strictSame(encodeOperation(update('Bridge', where, { external_ids: mapOf({ a: 'b' }) })), {
    op: 'update',
    table: 'Bridge',
    where: [['name', '==', 'br-ex']],
    row: { external_ids: ['map', [['a', 'b']]] },
  });
  t.strictSame(encodeOperation(mutate('Bridge', where, [['ports', 'insert', [{ namedUuid: 'p' }]]])), {
    op: 'mutate',
    table: 'Bridge',
    where: [['name', '==', 'br-ex']],
    mutations: [['ports', 'insert', ['set', [['named-uuid', 'p']]]]],
  });
  t.strictSame(encodeOperation(deleteRows('Bridge', [])), { op: 'delete', table: 'Bridge', where: [] });
  t.strictSame(
    encodeOperation(
      wait({ table: 'Bridge', where, columns: ['name'], until: '!=', rows: [{ name: 'x' }], timeoutMs: 0 }),
    ),
    { op: 'wait', table: 'Bridge', where: [['name', '==', 'br-ex']], columns: ['name'], until: '!=', rows: [{ name: 'x' }], timeout: 0 }, // biome-ignore format: one line
  );
  t.strictSame(encodeOperation(commit(true)), { op: 'commit', durable: true });
  t.strictSame(encodeOperation(abort()), { op: 'abort' });
  t.strictSame(encodeOperation(comment('why')), { op: 'comment', comment: 'why' });
  t.strictSame(encodeOperation(assertLock('l')), { op: 'assert', lock: 'l' });
});

t.test('results are typed by their operation', async (t) => {
  const reply = [{ uuid: ['uuid', 'u'] }, { rows: [{ name: 'a' }] }, { count: 2 }, {}];
  const [inserted, selected, updated] = readResults(
    [insert('Bridge', {}), select('Bridge', []), update('Bridge', [], {}), comment('x')],
    reply,
  );
  t.equal(inserted.uuid, 'u');
  t.strictSame(selected.rows, [{ name: 'a' }]);
  t.equal(updated.count, 2);
});

t.test('a failed operation is named; what ran before and the nulls after do not matter', async (t) => {
  const operations = [insert('Bridge', {}), mutate('Port', [], []), select('Bridge', [])];
  const failure = { error: 'constraint violation', details: 'too\u001b[31m many', syntax: '{}' };
  t.throws(() => readResults(operations, [{ uuid: ['uuid', 'u'] }, failure, null]), {
    kind: 'operation',
    message: 'operation 1 (mutate Port) failed: constraint violation: too\\u001b[31m many in {}',
    details: { operationIndex: 1, op: 'mutate', table: 'Port', error: 'constraint violation', mayHaveApplied: false },
  });
  t.throws(() => readResults([abort()], [{ error: 'aborted' }]), { message: 'operation 0 (abort) failed: aborted' });
});

t.test('a failed commit is the extra element', async (t) => {
  const extra = { error: 'referential integrity violation', details: 'no such row' };
  t.throws(() => readResults([comment('x')], [{}, extra]), {
    kind: 'operation',
    message: 'commit failed: referential integrity violation: no such row',
    details: { operationIndex: 1, op: 'commit', error: 'referential integrity violation', text: 'no such row' },
  });
});

t.test('malformed replies are a protocol error', async (t) => {
  const malformed: readonly (() => unknown)[] = [
    () => readResults([], null),
    () => readResults([comment('x')], []),
    () => readResults([comment('x')], [{}, {}]),
    () => readResults([comment('x')], [null]),
    () => readResults([insert('T', {})], [{}]),
    () => readResults([insert('T', {})], [{ uuid: 'u' }]),
    () => readResults([select('T', [])], [{ rows: 1 }]),
    () => readResults([select('T', [])], [{ rows: [1] }]),
    () => readResults([deleteRows('T', [])], [{ count: '1' }]),
  ];
  for (const read of malformed) {
    t.throws(read, { name: 'OvsdbError', kind: 'protocol', details: { mayHaveApplied: true } });
  }
});

t.test('a refused request keeps the name, in whatever form it came', async (t) => {
  t.match(refusedCall('get_schema', { error: 'unknown database', details: 'no x' }), {
    kind: 'operation',
    message: 'get_schema refused: unknown database: no x',
    details: { method: 'get_schema', error: 'unknown database', text: 'no x', mayHaveApplied: undefined },
  });
  t.match(refusedCall('transact', 'canceled'), { details: { error: 'canceled', mayHaveApplied: false } });
  t.match(refusedCall('x', 5), { details: { error: 'unknown error' } });
});
