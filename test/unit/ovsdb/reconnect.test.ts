import t from 'tap';
import { comment, keepConnected, type RowChange } from '../../../agent/drivers/ovsdb/index.ts';
import type { Json } from '../../../agent/drivers/ovsdb/json.ts';
import { type FakePeer, startFakeServer } from './fake-server.ts';

const fast = { giveUpAfterMs: 10_000, minBackoffMs: 5, maxBackoffMs: 20 };

t.test('gives up at its deadline and says why', async (t) => {
  const client = keepConnected('unix:/nonexistent/db.sock', { ...fast, giveUpAfterMs: 3000 });
  await t.rejects(client.connected({ timeoutMs: 10 }), {
    name: 'OvsdbError',
    kind: 'unreachable',
    details: { timeoutMs: 10 },
  });
  const reason = { name: 'OvsdbError', kind: 'unreachable', message: /no connection .* for 3000 ms: .*does not exist/ };
  await t.rejects(client.connected({ timeoutMs: 30_000 }), reason);
  await t.rejects(client.transact('db', []), reason);
  await t.rejects(client.monitor('db', {}), reason);
  client.close();
});

t.test('close ends waiting for a connection', async (t) => {
  const client = keepConnected('unix:/nonexistent/db.sock', fast);
  const waiting = client.connected();
  client.close();
  await t.rejects(waiting, { name: 'OvsdbError', kind: 'closed' });
  await t.rejects(client.connected(), { name: 'OvsdbError', kind: 'closed' });
  t.throws(() => keepConnected('nonsense', fast), TypeError);
});

t.test('monitors and waits outlive the connection', async (t) => {
  let content: Json = { Port: { p1: { new: { name: 'one' } }, p2: { new: { name: 'two' } } } };
  let latest: FakePeer | undefined;
  const server = await startFakeServer((message, peer) => {
    latest = peer;
    peer.reply(message, message.method === 'monitor' ? content : {});
  });
  t.teardown(() => server.stop());
  const client = keepConnected(server.remote, fast);
  const seen: RowChange[] = [];
  const monitor = await client.monitor('db', { Port: 'all' }, { onUpdate: (changes) => seen.push(...changes) });
  t.equal(seen.length, 2);

  content = { Port: { p2: { new: { name: 'TWO' } }, p3: { new: { name: 'three' } } } };
  const waiting = monitor.waitUntil((tables) => tables.row('Port', 'p3'), { timeoutMs: 5000, what: 'p3' });
  latest?.socket.destroy();
  t.match(await waiting, { name: 'three' });
  t.equal(server.connections, 2);
  t.match(seen.slice(2), [
    { uuid: 'p1', old: { name: 'one' }, new: undefined },
    { uuid: 'p2', old: { name: 'two' }, new: { name: 'TWO' } },
    { uuid: 'p3', old: undefined, new: { name: 'three' } },
  ]);

  latest?.socket.destroy();
  await monitor.waitUntil(() => server.connections === 3, { timeoutMs: 5000, what: 'the third connection' });
  t.equal(seen.length, 5, 'nothing changed, nothing said');
  const forever = monitor.waitUntil(() => null, { timeoutMs: 60_000, what: 'x' });
  client.close();
  await t.rejects(forever, { name: 'OvsdbError', kind: 'closed' });
});

t.test('a cancelled monitor is not set up again', async (t) => {
  const server = await startFakeServer((message, peer) => peer.reply(message, {}));
  t.teardown(() => server.stop());
  const client = keepConnected(server.remote, fast);
  const monitor = await client.monitor('db', { Port: 'all' });
  await monitor.cancel();
  const first = await client.connected();
  server.script = (message, peer) => (peer.socket.destroyed ? undefined : peer.reply(message, {}));
  first.close();
  await (await client.connected()).echo();
  t.equal(server.received.filter(({ method }) => method === 'monitor').length, 1);
  client.close();
});

t.test('a transaction is sent once', async (t) => {
  const server = await startFakeServer((_message, peer) => peer.socket.destroy());
  t.teardown(() => server.stop());
  const client = keepConnected(server.remote, fast);
  await t.rejects(client.transact('db', [comment('x')], { timeoutMs: 5000 }), {
    name: 'OvsdbError',
    kind: 'lost',
    details: { mayHaveApplied: true },
  });
  await client.connected();
  t.equal(server.received.length, 1);
  client.close();
});

t.test('a monitor request that is refused is not tried for ever', async (t) => {
  const server = await startFakeServer((message, peer) => peer.reply(message, null, { error: 'unknown database' }));
  t.teardown(() => server.stop());
  const client = keepConnected(server.remote, fast);
  await t.rejects(client.monitor('nope', {}), {
    name: 'OvsdbError',
    kind: 'operation',
    details: { error: 'unknown database' },
  });
  client.close();
});

t.test('a server that accepts and dies at once is backed off from, and given up', async (t) => {
  const server = await startFakeServer();
  server.onConnect = (peer) => peer.socket.destroy();
  t.teardown(() => server.stop());
  const client = keepConnected(server.remote, { giveUpAfterMs: 200, minBackoffMs: 10, maxBackoffMs: 40 });
  await t.rejects(client.monitor('db', {}, { timeoutMs: 5000 }), { name: 'OvsdbError', kind: 'unreachable' });
  t.ok(server.connections >= 2 && server.connections < 20, `${server.connections} attempts`);
  client.close();
});

t.test('close while monitors are being set up again ends that connection too', async (t) => {
  const server = await startFakeServer((message, peer) => peer.reply(message, {}));
  t.teardown(() => server.stop());
  const client = keepConnected(server.remote, fast);
  const monitor = await client.monitor('db', { Port: 'all' });
  const ended = new Promise<void>((resolve) => {
    server.script = (_message, peer) => {
      peer.socket.on('close', resolve);
      client.close();
    };
  });
  const waiting = monitor.waitUntil(() => null, { timeoutMs: 60_000, what: 'x' });
  (await client.connected()).close();
  await t.rejects(waiting, { name: 'OvsdbError', kind: 'closed' });
  await ended;
  t.throws(() => keepConnected(server.remote, { giveUpAfterMs: Number.NaN }), TypeError);
});
