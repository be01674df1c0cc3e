import t from 'tap';
import {
  connect,
  deleteRows,
  insert,
  mapOf,
  mutate,
  namedUuid,
  type Operation,
  readInteger,
  readString,
  readStringMap,
  readUuids,
  select,
  setOf,
  uuid,
  wait,
} from '../../agent/drivers/ovsdb/index.ts';
import { limitMs, missingParts, startWithClient } from './real-server.ts';

const vswitch = 'Open_vSwitch';
const inventory = 'Inventory';

/**
 * Returns the operations that add a bridge as the Open_vSwitch schema requires: the root row must refer to each new
 * row.
 */
function addBridge(name: string): readonly Operation[] {
  return [
    wait({ table: vswitch, where: [], columns: ['bridges'], until: '==', rows: [], timeout: 0 }),
    insert('Interface', { name, type: 'internal' }, 'iface'),
    insert('Port', { name, interfaces: namedUuid('iface') }, 'port'),
    insert(
      'Bridge',
      {
        name,
        ports: setOf([namedUuid('port')]),
        external_ids: mapOf({ 'bridge-uplink': 'eth0', 'bridge-id': name }),
      },
      'bridge',
    ),
    insert(vswitch, { bridges: setOf([namedUuid('bridge')]) }, 'root'),
  ];
}

t.test('a client of a real ovsdb-server', { skip: missingParts() }, async (t) => {
  const { server, client } = await startWithClient(t);
  const refused = (message: RegExp) => ({ name: 'OvsdbError', kind: 'operation', message });

  await t.test('calls without a transaction, and unknown names', async (t) => {
    t.strictSame([...((await client.call('list_dbs', [])) as string[])].sort(), ['Inventory', vswitch, '_Server']);
    t.strictSame(await client.call('echo', ['x']), ['x']);
    await t.rejects(client.call('get_schema', ['nope']), refused(/get_schema refused: .*unknown database/));
    await t.rejects(client.call('no_such_method', []), refused(/unknown method/));
    await t.rejects(client.transact('nope', []), refused(/unknown database/));
  });

  await t.test('a bridge is added in one transaction; the same precondition then refuses another bridge', async (t) => {
    await client.transact(vswitch, addBridge('br-ex'));
    const columns = ['external_ids', 'ports', 'fail_mode'];
    const [[row]] = await client.transact(vswitch, [select('Bridge', [['name', '==', 'br-ex']], columns)]);
    t.strictSame(readStringMap(row?.external_ids), { 'bridge-uplink': 'eth0', 'bridge-id': 'br-ex' });
    t.equal(readUuids(row?.ports).length, 1);
    t.equal(readString(row?.fail_mode), undefined);
    await t.rejects(
      client.transact(vswitch, addBridge('br-ex1')),
      refused(/^operation 0 \(wait Open_vSwitch\) failed: timed out/),
    );
  });

  await t.test('mutate keeps values of other clients', async (t) => {
    const where = [['name', '==', 'br-ex']] as const;
    const [, , [row]] = await client.transact(vswitch, [
      mutate('Bridge', where, [['external_ids', 'delete', setOf(['bridge-id'])]]),
      mutate('Bridge', where, [['external_ids', 'insert', mapOf({ mine: 'ü "x" \\ }' })]]),
      select('Bridge', where, ['external_ids']),
    ]);
    t.strictSame(readStringMap(row?.external_ids), { 'bridge-uplink': 'eth0', mine: 'ü "x" \\ }' });
  });

  await t.test('values of every type; an integer that JavaScript would round is refused', async (t) => {
    const crate = { name: 'crate', serial: 9007199254740991, weight: 2.5, present: true, tags: setOf(['b', 'a']) };
    const where = [['name', '==', 'crate']] as const;
    const [, [row]] = await client.transact(inventory, [
      insert('Item', crate, 'crate'),
      select('Item', where, ['serial', 'weight', 'present', 'tags']),
    ]);
    t.equal(readInteger(row?.serial), 9007199254740991);
    t.match(row, { weight: 2.5, present: true, tags: ['set', ['a', 'b']] });
    const [, [after]] = await client.transact(inventory, [
      mutate('Item', where, [['serial', '+=', 2]]),
      select('Item', where, ['serial']),
    ]);
    t.throws(() => readInteger(after?.serial), { name: 'OvsdbError', kind: 'protocol' });
  });

  await t.test('each kind of refusal is named, and nothing is applied', async (t) => {
    const one = insert('Item', { name: 'leftover' }, 'one');
    const nobody = uuid('550e8400-e29b-41d4-a716-446655440000');
    const refusals: readonly (readonly [RegExp, Operation])[] = [
      [/^operation 1 .*(syntax error|constraint)/, insert('Item', { tags: setOf(['1', '2', '3', '4']) }, 'n')],
      [/^commit failed: constraint violation/, insert('Item', { name: 'crate' }, 'n')],
      [/^commit failed: referential integrity violation/, insert('Item', { name: 'y', parts: nobody }, 'n')],
      [/^operation 1 .*(syntax error|unknown table)/, insert('Nowhere', {}, 'n')],
      [/^operation 1 .*(syntax error|unknown column)/, deleteRows('Item', [['no_column', '==', 1]])],
      [/^operation 1 .*domain error/, mutate('Item', [], [['weight', '/=', 0]])],
      [/^operation 1 .*duplicate uuid-name/, insert('Item', { name: 'b' }, 'one')],
    ];
    for (const [message, operation] of refusals)
      await t.rejects(client.transact(inventory, [one, operation]), refused(message), String(message));
    const [rows] = await client.transact(inventory, [select('Item', [], ['name'])]);
    t.strictSame(rows, [{ name: 'crate' }]);
  });

  await t.test('a wait delays only its own transaction, until another client fulfils the condition', async (t) => {
    const other = await connect(server.path, limitMs);
    const where = [['name', '==', 'crate']] as const;
    const until = (timeout: number): Operation =>
      wait({ table: 'Item', where: [['weight', '<', 7]], columns: ['weight'], until: '==', rows: [], timeout });
    const held = client.transact(inventory, [until(5_000), select('Item', where, ['weight'])]);
    await client.call('echo', []);
    await other.transact(inventory, [mutate('Item', where, [['weight', '+=', 5]])]);
    t.strictSame(await held, [[], [{ weight: 7.5 }]]);
    await other.transact(inventory, [mutate('Item', where, [['weight', '-=', 5]])]);
    await t.rejects(client.transact(inventory, [until(50)]), { name: 'OvsdbError', kind: 'timeout' });
    other.close();
  });

  await t.test('3,000 rows are written and read', async (t) => {
    const names = Array.from({ length: 3000 }, (_, index) => `bulk-${index}`);
    await client.transact(
      inventory,
      names.map((name) => insert('Item', { name, tags: name.repeat(20) }, name.replace('-', '_'))),
    );
    const [rows] = await client.transact(inventory, [select('Item', [], ['name', 'tags'])]);
    t.equal(rows.length, 3001);
    await client.transact(inventory, [deleteRows('Item', [['name', '!=', 'crate']])]);
  });
});
