import t from 'tap';
import { connect, insert, select, wait } from '../../agent/drivers/ovsdb/index.ts';
import { limitMs, missingParts, startWithClient } from './real-server.ts';

const inventory = 'Inventory';
const lost = { name: 'OvsdbError', kind: 'lost' };

t.test('a server that hangs, crashes and is restarted', { skip: missingParts() }, async (t) => {
  const { server, client } = await startWithClient(t);

  await t.test('calls to a server that hangs end at their limit', async (t) => {
    const hasty = await connect(server.path, 500);
    server.signal('SIGSTOP');
    await t.rejects(hasty.call('list_dbs', []), { name: 'OvsdbError', kind: 'timeout' });
    await t.rejects(hasty.transact(inventory, [insert('Item', { name: 'perhaps' }, 'item')]), {
      name: 'OvsdbError',
      kind: 'timeout',
    });
    server.signal('SIGCONT');
    const rows = [{ name: 'perhaps' }];
    const until = { table: 'Item', where: [], columns: ['name'], until: '==', rows, timeout: limitMs / 2 } as const;
    await t.resolves(
      client.transact(inventory, [wait(until)]),
      'the server may still apply a transaction after the limit',
    );
    hasty.close();
  });

  await t.test('calls to a killed server end, and the data exists after its restart', async (t) => {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const name = `after ${signal}`;
      const client = await connect(server.path, limitMs);
      await client.transact(inventory, [insert('Item', { name }, 'item')]);
      await server.kill(signal);
      await t.rejects(client.call('list_dbs', []), lost);
      await server.start();
      const again = await connect(server.path, limitMs);
      const [rows] = await again.transact(inventory, [select('Item', [['name', '==', name]], ['name'])]);
      t.equal(rows.length, 1);
      again.close();
    }
  });
});
