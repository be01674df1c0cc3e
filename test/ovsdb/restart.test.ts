import t from 'tap';
import { connect, insert, keepConnected, select } from '../../agent/drivers/ovsdb/index.ts';
import { missingParts, startWithClient } from './real-server.ts';

const inventory = 'Inventory';

t.test('a server that hangs, dies and comes back', { skip: missingParts() }, async (t) => {
  const { server, client } = await startWithClient(t);
  const lasting = keepConnected(server.remote, { giveUpAfterMs: 20_000 });
  t.teardown(() => lasting.close());

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

  await t.test('killed and restarted: monitors and waits go on, data is there', async (t) => {
    const monitor = await lasting.monitor(inventory, { Item: ['name'] });
    const first = await lasting.connected();
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const name = `after ${signal}`;
      const waiting = monitor.waitUntil((tables) => tables.rows('Item').find((row) => row.name === name), {
        timeoutMs: 15_000,
        what: name,
      });
      await server.kill(signal);
      await t.rejects(client.listDbs({ timeoutMs: 15_000 }), { name: 'OvsdbError', kind: 'lost' });
      t.ok(monitor.tables.rows('Item').length > 0, 'last known content');
      await server.start();
      await lasting.transact(inventory, [insert('Item', { name })], { timeoutMs: 15_000 });
      t.match(await waiting, { name });
    }
    t.not(await lasting.connected(), first);
    t.equal(monitor.tables.rows('Item').length, 3);
  });
});
