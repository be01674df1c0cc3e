import t from 'tap';
import { connect, insert, select } from '../../agent/drivers/ovsdb/index.ts';
import { missingParts, startWithClient } from './real-server.ts';

const inventory = 'Inventory';

t.test('a server that hangs, dies and comes back', { skip: missingParts() }, async (t) => {
  const { server, client } = await startWithClient(t);

  await t.test('hang: calls end at their deadline, the probe ends the connection', async (t) => {
    const probing = await connect(server.remote, { inactivityProbeMs: 100 });
    server.signal('SIGSTOP');
    await t.rejects(client.listDbs({ timeoutMs: 50 }), { name: 'OvsdbError', kind: 'timeout' });
    await t.rejects(client.transact(inventory, [insert('Item', { name: 'perhaps' })], { timeoutMs: 50 }), {
      name: 'OvsdbError',
      kind: 'timeout',
      details: { mayHaveApplied: true },
    });
    t.match(await probing.ended, { kind: 'lost' });
    server.signal('SIGCONT');
    const [{ rows }] = await client.transact(inventory, [select('Item', [], ['name'])]);
    t.strictSame(rows, [{ name: 'perhaps' }], 'the caller was right to be told that it may have been applied');
  });

  await t.test('killed and restarted: calls and waits end, data is there', async (t) => {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const name = `after ${signal}`;
      const client = await connect(server.remote);
      await client.transact(inventory, [insert('Item', { name })]);
      const monitor = await client.monitor(inventory, { Item: ['name'] });
      const lost = { name: 'OvsdbError', kind: 'lost' };
      const waiting = t.rejects(
        monitor.waitUntil(() => false, { timeoutMs: 15_000, what: name }),
        lost,
      );
      await server.kill(signal);
      await t.rejects(client.listDbs({ timeoutMs: 15_000 }), lost);
      await waiting;
      t.ok(monitor.tables.rows('Item').length > 0, 'last known content');
      await server.start();
      const again = await connect(server.remote);
      const [{ rows }] = await again.transact(inventory, [select('Item', [['name', '==', name]])]);
      t.equal(rows.length, 1);
      again.close();
    }
  });
});
