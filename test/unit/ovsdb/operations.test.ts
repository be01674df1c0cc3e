import t from 'tap';
import {
  assertLock,
  deleteRows,
  insert,
  mutate,
  namedUuid,
  type Operation,
  select,
  setOf,
  update,
  wait,
} from '../../../agent/drivers/ovsdb/index.ts';
import { readResults, refusedCall } from '../../../agent/drivers/ovsdb/results.ts';

const where = [['name', '==', 'br-ex']] as const;
const held = (timeout: number): Operation =>
  wait({ table: 'Bridge', where, columns: ['name'], until: '!=', rows: [{ name: 'x' }], timeout });

t.test('wire form of each operation (RFC 7047 section 5.2)', async (t) => {
  const wireWhere = [['name', '==', 'br-ex']];
  const rows: readonly (readonly [Operation, object])[] = [
    [
      insert('Bridge', { name: 'br-ex', ports: setOf([]) }, 'b'),
      { op: 'insert', table: 'Bridge', row: { name: 'br-ex', ports: ['set', []] }, 'uuid-name': 'b' },
    ],
    [select('Bridge', where, ['name']), { op: 'select', table: 'Bridge', where: wireWhere, columns: ['name'] }],
    [
      mutate('Bridge', where, [['ports', 'insert', namedUuid('p')]]),
      { op: 'mutate', table: 'Bridge', where: wireWhere, mutations: [['ports', 'insert', ['named-uuid', 'p']]] },
    ],
    [
      update('Bridge', where, { fail_mode: 'secure' }),
      { op: 'update', table: 'Bridge', where: wireWhere, row: { fail_mode: 'secure' } },
    ],
    [assertLock('mine'), { op: 'assert', lock: 'mine' }],
    [deleteRows('Bridge', []), { op: 'delete', table: 'Bridge', where: [] }],
    [
      held(5),
      {
        op: 'wait',
        table: 'Bridge',
        where: wireWhere,
        columns: ['name'],
        until: '!=',
        rows: [{ name: 'x' }],
        timeout: 5,
      },
    ],
  ];
  for (const [operation, wire] of rows) t.strictSame(JSON.parse(JSON.stringify(operation)), wire);
});

t.test('rows of each operation', async (t) => {
  const operations = [
    insert('Bridge', {}, 'b'),
    select('Bridge', [], ['name']),
    deleteRows('Bridge', []),
    held(0),
  ] as const;
  const reply = [{ uuid: ['uuid', 'u'] }, { rows: [{ name: 'a' }] }, { count: 2 }, {}];
  t.strictSame(readResults(operations, reply), [[], [{ name: 'a' }], [], []]);
});

t.test('a failed operation is named, also after successful and before skipped operations', async (t) => {
  const operations = [insert('Bridge', {}, 'b'), mutate('Port', [], []), select('Bridge', [], [])];
  const failure = { error: 'constraint violation', details: 'too\u001b[31m many', syntax: '{}' };
  t.throws(() => readResults(operations, [{ uuid: ['uuid', 'u'] }, failure, null]), {
    kind: 'operation',
    message: 'operation 1 (mutate Port) failed: constraint violation: too\\u001b[31m many in {}',
  });
});

t.test('the error names a lock that is not held', async (t) => {
  t.throws(() => readResults([assertLock('mine')], [{ error: 'not owner' }]), {
    kind: 'operation',
    message: 'operation 0 (assert mine) failed: not owner',
  });
});

t.test('a wait that ends at its limit is a timeout; a wait without a limit is a refused precondition', async (t) => {
  const reply = [{ error: 'timed out' }];
  const message = 'operation 0 (wait Bridge) failed: timed out';
  t.throws(() => readResults([held(50)], reply), { kind: 'timeout', message });
  t.throws(() => readResults([held(0)], reply), { kind: 'operation', message });
});

t.test('an element after those of the operations is a failed commit', async (t) => {
  const extra = { error: 'referential integrity violation', details: 'no such row' };
  t.throws(() => readResults([deleteRows('Bridge', [])], [{ count: 0 }, extra]), {
    kind: 'operation',
    message: 'commit failed: referential integrity violation: no such row',
  });
});

t.test('malformed replies are a protocol error', async (t) => {
  const one = [select('T', [], [])];
  for (const reply of [null, [], [null], [{}], [{ rows: 1 }], [{ rows: [1] }]])
    t.throws(() => readResults(one, reply), { name: 'OvsdbError', kind: 'protocol' }, JSON.stringify(reply));
});

t.test('a refused request keeps the name of the error in every form of the reply', async (t) => {
  t.match(refusedCall('get_schema', { error: 'unknown database', details: 'no x' }), {
    kind: 'operation',
    message: 'get_schema refused: unknown database: no x',
  });
  t.match(refusedCall('transact', 'canceled'), { message: 'transact refused: canceled' });
  t.match(refusedCall('x', 5), { message: 'x refused: unknown error' });
});
