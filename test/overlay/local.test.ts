// A node's own rows in a real ovsdb-server with Open vSwitch's schema.
import t from 'tap';
import { insert, mapOf, mutate, namedUuid, setOf } from '../../agent/drivers/ovsdb/index.ts';
import type { LocalFacts, OverlayPlan } from '../../agent/model/overlay.ts';
import { planLocal, planLocalRemoval } from '../../agent/overlay/local/local.ts';
import { operationsOf } from '../../agent/overlay/rows/row-operations.ts';
import { missingParts, startWithClient } from '../ovsdb/real-server.ts';
import { dedicatedNic, gatewayOf, modern, nodeOf, seed } from '../unit/overlay/cluster.ts';
import { readRows } from './central.ts';

const database = 'Open_vSwitch';

t.test('a node joins, joins again, and leaves', { skip: missingParts() }, async (t) => {
  const { client } = await startWithClient(t);
  await client.transact(database, [insert(database, { bridges: setOf([]) }, 'root')]);
  const act = async (plan: (rows: LocalFacts['rows']) => OverlayPlan): Promise<number> => {
    const rows = await readRows(client, database);
    const { changes, ...rest } = plan(rows);
    const operations = operationsOf({ changes, ...rest }, rows.shape);
    if (operations.length > 0) await client.transact(database, operations);
    return changes.length;
  };
  const facts = { southbound: ['ssl:192.0.2.10:6642'], northbound: ['tcp:192.0.2.10:6641'] } as const;
  for (const layout of [modern, seed]) {
    for (const node of [nodeOf(1), nodeOf(1, { subnets: [], gateway: gatewayOf(1, dedicatedNic) })]) {
      const join = (): Promise<number> =>
        act((rows) => planLocal({ layout, node, ...facts, datapathType: 'netdev', rows }));
      t.ok(await join());
      await client.transact(database, [
        insert('Interface', { name: 'pod0', external_ids: mapOf({ 'pod-netns': '/run/netns/a' }) }, 'link'),
        insert('Port', { name: 'pod0', interfaces: setOf([namedUuid('link')]) }, 'port'),
        mutate('Bridge', [['name', '==', 'br-int']], [['ports', 'insert', setOf([namedUuid('port')])]]),
      ]);
      t.equal(await join(), 0, 'a second run changes nothing, also on a node with pods');
      t.ok(await act((rows) => planLocalRemoval({ layout, rows })));
      t.equal(await act((rows) => planLocalRemoval({ layout, rows })), 0);
      const { tables } = await readRows(client, database);
      t.match(tables, { Bridge: [], Port: [], Interface: [] });
      t.strictSame([tables.Bridge?.length, tables.Port?.length, tables.Interface?.length], [0, 0, 0]);
    }
  }
});
