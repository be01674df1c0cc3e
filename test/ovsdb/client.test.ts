import t from 'tap';
import {
  abort,
  assertLock,
  comment,
  commit,
  connect,
  deleteRows,
  insert,
  mapOf,
  mutate,
  readNumber,
  readOptional,
  readSet,
  readString,
  readStringMap,
  readUuids,
  select,
  update,
  wait,
} from '../../agent/drivers/ovsdb/index.ts';
import { missingParts, startWithClient } from './real-server.ts';

const vswitch = 'Open_vSwitch';
const inventory = 'Inventory';

/** The operations that add a bridge the way the Open_vSwitch schema wants it: everything hangs on the root row. */
function addBridge(name: string) {
  return [
    wait({ table: vswitch, where: [], columns: ['bridges'], until: '==', rows: [], timeoutMs: 0 }),
    insert('Interface', { name, type: 'internal' }, { uuidName: 'iface' }),
    insert('Port', { name, interfaces: { namedUuid: 'iface' } }, { uuidName: 'port' }),
    insert(
      'Bridge',
      { name, ports: [{ namedUuid: 'port' }], external_ids: mapOf({ 'bridge-uplink': 'eth0', 'bridge-id': name }) },
      { uuidName: 'bridge' },
    ),
    insert(vswitch, { bridges: [{ namedUuid: 'bridge' }] }),
    comment('add a bridge'),
    commit(true),
  ] as const;
}

t.test('against a real ovsdb-server', { skip: missingParts() }, async (t) => {
  const { server, client } = await startWithClient(t);

  await t.test('databases, schema, unknown names', async (t) => {
    t.strictSame([...(await client.listDbs())].sort(), ['Inventory', vswitch, '_Server']);
    t.match(await client.getSchema(vswitch), { name: vswitch, tables: { Bridge: {} } });
    t.match(await client.getSchema(inventory), { name: inventory });
    await client.echo();
    await t.rejects(client.getSchema('nope'), {
      name: 'OvsdbError',
      kind: 'operation',
      details: { error: /unknown database/ },
    });
    await t.rejects(client.call('no_such_method', []), { name: 'OvsdbError', kind: 'operation' });
    await t.rejects(client.transact('nope', []), {
      name: 'OvsdbError',
      kind: 'operation',
      details: { mayHaveApplied: false },
    });
  });

  await t.test('a bridge in one transaction, and a precondition that then fails', async (t) => {
    const results = await client.transact(vswitch, addBridge('br-ex'));
    const [{ rows }] = await client.transact(vswitch, [select('Bridge', [['name', '==', 'br-ex']])]);
    t.strictSame(rows[0]?._uuid, results[3]);
    t.strictSame(readStringMap(rows[0]?.external_ids), { 'bridge-uplink': 'eth0', 'bridge-id': 'br-ex' });
    t.equal(readUuids(rows[0]?.ports).length, 1);
    t.equal(readString(rows[0]?.fail_mode), undefined);
    await t.rejects(client.transact(vswitch, addBridge('br-ex1')), {
      name: 'OvsdbError',
      kind: 'operation',
      details: { operationIndex: 0, op: 'wait', table: vswitch, error: 'timed out', mayHaveApplied: false },
    });
  });

  await t.test('mutate leaves what others wrote', async (t) => {
    const where = [['name', '==', 'br-ex']] as const;
    const [mutated, , { rows }] = await client.transact(vswitch, [
      mutate('Bridge', where, [['external_ids', 'delete', ['bridge-id']]]),
      mutate('Bridge', where, [['external_ids', 'insert', mapOf({ mine: 'ü "x" \\ }' })]]),
      select('Bridge', where, ['external_ids']),
    ]);
    t.equal(mutated.count, 1);
    t.strictSame(readStringMap(rows[0]?.external_ids), { 'bridge-uplink': 'eth0', mine: 'ü "x" \\ }' });
  });

  await t.test('values of every type, 64-bit integers included', async (t) => {
    const row = {
      name: 'crate',
      serial: [9223372036854775807n],
      counters: new Map([[1, -9007199254740993n]]),
      weight: 2,
      present: true,
      tags: ['b', 'a'],
    };
    const [, { rows }] = await client.transact(inventory, [
      insert('Item', row),
      select('Item', [['name', '==', 'crate']]),
    ]);
    const crate = rows[0] ?? {};
    t.equal(readOptional(crate.serial), 9223372036854775807n);
    t.strictSame(crate.counters, new Map([[1, -9007199254740993n]]));
    t.equal(readNumber(crate.weight), 2);
    t.equal(crate.present, true);
    t.strictSame(readSet(crate.tags), ['a', 'b']);
    const [found] = await client.transact(inventory, [
      select('Item', [['serial', '==', 9223372036854775807n]], ['name']),
    ]);
    t.strictSame(found.rows, [{ name: 'crate' }]);
  });

  await t.test('each kind of refusal is named, and nothing is applied', async (t) => {
    const one = insert('Item', { name: 'leftover' });
    const refusals = [
      {
        operations: [one, insert('Item', { name: 'x', tags: ['1', '2', '3', '4'] })],
        index: 1,
        error: /syntax error|constraint/,
      },
      { operations: [one, update('Item', [], { name: 'renamed' })], index: 1, error: 'constraint violation' },
      { operations: [one, insert('Item', { name: 'crate' })], index: 2, error: 'constraint violation' },
      { operations: [one, insert('Item', { name: 'y', parts: [{ uuid: '550e8400-e29b-41d4-a716-446655440000' }] })], index: 2, error: 'referential integrity violation' }, // biome-ignore format: one line
      { operations: [one, insert('Nowhere', {})], index: 1, error: /syntax error|unknown table/ },
      {
        operations: [one, deleteRows('Item', [['no_column', '==', 1]]), one],
        index: 1,
        error: /syntax error|unknown column/,
      },
      { operations: [one, mutate('Item', [], [['weight', '/=', 0]])], index: 1, error: 'domain error' },
      { operations: [one, abort(), one], index: 1, error: 'aborted' },
      { operations: [assertLock('nobody_has_it'), one], index: 0, error: 'not owner' },
      { operations: [insert('Item', { name: 'a' }, { uuidName: 'n' }), insert('Item', { name: 'b' }, { uuidName: 'n' })], index: 1, error: 'duplicate uuid-name' }, // biome-ignore format: one line
    ];
    for (const { operations, index, error } of refusals) {
      const details = { operationIndex: index, error, mayHaveApplied: false };
      await t.rejects(
        client.transact(inventory, operations),
        { name: 'OvsdbError', kind: 'operation', details },
        String(error),
      );
    }
    const [{ rows }] = await client.transact(inventory, [select('Item', [], ['name'])]);
    t.strictSame(rows, [{ name: 'crate' }]);
  });

  await t.test('lock and assert through the general call', async (t) => {
    t.strictSame(await client.call('lock', ['mine']), { locked: true });
    t.strictSame(await client.transact(inventory, [assertLock('mine')]), [{}]);
    await client.call('unlock', ['mine']);
  });

  await t.test('wait holds a transaction until another client makes it true', async (t) => {
    const other = await connect(server.remote);
    const where = [['name', '==', 'crate']] as const;
    const until = wait({
      table: 'Item',
      where,
      columns: ['weight'],
      until: '==',
      rows: [{ weight: 7 }],
      timeoutMs: 5000,
    });
    const held = client.transact(inventory, [until, select('Item', where, ['weight'])]);
    await client.echo();
    await other.transact(inventory, [update('Item', where, { weight: 7 })]);
    const [, { rows }] = await held;
    t.strictSame(rows, [{ weight: 7 }]);
    const never = wait({
      table: 'Item',
      where,
      columns: ['weight'],
      until: '==',
      rows: [{ weight: 8 }],
      timeoutMs: 50,
    });
    await t.rejects(client.transact(inventory, [never]), { name: 'OvsdbError', details: { error: 'timed out' } });
    other.close();
  });

  await t.test('a transaction past its deadline is cancelled at the server', async (t) => {
    const where = [['name', '==', 'crate']] as const;
    const nine = {
      table: 'Item',
      where,
      columns: ['weight'],
      until: '==',
      rows: [{ weight: 9 }],
      timeoutMs: 60_000,
    } as const;
    await t.rejects(client.transact(inventory, [wait(nine), deleteRows('Item', where)], { timeoutMs: 50 }), {
      name: 'OvsdbError',
      kind: 'timeout',
      details: { mayHaveApplied: true },
    });
    await client.transact(inventory, [update('Item', where, { weight: 9 })]);
    const [{ rows }] = await client.transact(inventory, [select('Item', where)]);
    t.equal(rows.length, 1, 'what it waited for came true, and it was not run any more');
  });

  await t.test('monitors of two databases on one connection', async (t) => {
    const bridges = await client.monitor(vswitch, { Bridge: ['name', 'ports'], Interface: 'all' });
    const items = await client.monitor(inventory, { Item: ['name'] });
    t.match(bridges.tables.rows('Bridge'), [{ name: 'br-ex' }]);
    t.ok(bridges.tables.rows('Interface')[0]?.ofport);
    const limits = { timeoutMs: 5000, what: 'the change' };
    const port = bridges.waitUntil(
      (tables) => tables.rows('Interface').find(({ ofport }) => readNumber(ofport) === 3),
      limits,
    );
    const pallet = items.waitUntil((tables) => tables.rows('Item').find(({ name }) => name === 'pallet'), limits);
    await client.transact(vswitch, [update('Interface', [['name', '==', 'br-ex']], { ofport: 3 })]);
    await client.transact(inventory, [insert('Item', { name: 'pallet' })]);
    t.equal(readString((await port).name), 'br-ex');
    await pallet;
    await client.transact(inventory, [deleteRows('Item', [['name', '==', 'pallet']])]);
    await items.waitUntil((tables) => tables.rows('Item').length === 1, limits);
    await items.cancel();
    await bridges.cancel();
    await t.rejects(client.monitor(vswitch, { Nowhere: 'all' }), { name: 'OvsdbError', kind: 'operation' });
  });

  await t.test('large content: 3,000 rows in, out and mirrored', async (t) => {
    const names = Array.from({ length: 3000 }, (_, index) => `bulk-${index}`);
    await client.transact(
      inventory,
      names.map((name) => insert('Item', { name, tags: [name.repeat(20)] })),
    );
    const monitor = await client.monitor(inventory, { Item: 'all' });
    t.equal(monitor.tables.rows('Item').length, 3001);
    await monitor.cancel();
    await client.transact(inventory, [deleteRows('Item', [['name', '!=', 'crate']])]);
  });
});
