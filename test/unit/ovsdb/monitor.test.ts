import t, { type Test } from 'tap';
import { connect, type OvsdbClient, type RowChange } from '../../../agent/drivers/ovsdb/index.ts';
import { type FakePeer, type FakeServer, startFakeServer } from './fake-server.ts';

const request = { Bridge: ['name', 'ports'], Port: 'all' } as const;

async function setUp(t: Test): Promise<{ server: FakeServer; client: OvsdbClient; peer: () => FakePeer }> {
  let latest: FakePeer | undefined;
  const server = await startFakeServer((message, peer) => {
    if (message.method === 'monitor') peer.reply(message, { Bridge: { b1: { new: { name: 'br-ex' } } } });
    else peer.reply(message, {});
  });
  server.onConnect = (peer) => {
    latest = peer;
  };
  const client = await connect(server.remote);
  t.teardown(async () => {
    client.close();
    await server.stop();
  });
  return { server, client, peer: () => latest as FakePeer };
}

const update = (updates: object) => ({ id: null, method: 'update', params: ['monitor-0', updates] }) as never;

t.test('initial content, then updates', async (t) => {
  const { server, client, peer } = await setUp(t);
  const seen: (readonly RowChange[])[] = [];
  const monitor = await client.monitor('db', request, { onUpdate: (changes) => seen.push(changes) });
  t.strictSame(server.received[0]?.params, ['db', 'monitor-0', { Bridge: { columns: ['name', 'ports'] }, Port: {} }]);
  t.strictSame(monitor.tables.rows('Bridge'), [{ name: 'br-ex', _uuid: { uuid: 'b1' } }]);
  t.strictSame(monitor.tables.rows('Port'), [], 'a table without rows is not in the reply');
  t.throws(() => monitor.tables.rows('Interface'), TypeError);

  peer().send(
    update({
      Port: { p1: { new: { tag: ['set', []] } } },
      Bridge: { b1: { old: {}, new: { ports: ['uuid', 'p1'] } } },
    }),
  );
  const found = await monitor.waitUntil((tables) => tables.row('Port', 'p1'), { timeoutMs: 1000, what: 'the port' });
  t.strictSame(found, { tag: [], _uuid: { uuid: 'p1' } });
  t.strictSame(monitor.tables.row('Bridge', 'b1'), { name: 'br-ex', ports: { uuid: 'p1' }, _uuid: { uuid: 'b1' } });

  peer().send(update({ Port: { p1: { old: {} } } }));
  await monitor.waitUntil((tables) => tables.rows('Port').length === 0, { timeoutMs: 1000, what: 'the port to go' });
  t.match(seen, [
    [{ table: 'Bridge', uuid: 'b1', old: undefined, new: { name: 'br-ex' } }],
    [
      { table: 'Port', new: { tag: [] } },
      { table: 'Bridge', old: { name: 'br-ex' }, new: { name: 'br-ex' } },
    ],
    [{ table: 'Port', uuid: 'p1', old: { tag: [] }, new: undefined }],
  ]);
});

t.test('updates in the same packet as the reply are not lost', async (t) => {
  const { server, client } = await setUp(t);
  server.script = (message, peer) => {
    peer.socket.cork();
    peer.reply(message, {});
    peer.send(update({ Port: { p1: { new: {} } } }));
    peer.send(update({ Port: { p1: { old: {} }, p2: { new: {} } } }));
    peer.socket.uncork();
  };
  const monitor = await client.monitor('db', request);
  t.strictSame(monitor.tables.rows('Port'), [{ _uuid: { uuid: 'p2' } }]);
});

t.test('waitUntil', async (t) => {
  const { client, peer } = await setUp(t);
  const monitor = await client.monitor('db', request);
  t.equal(await monitor.waitUntil(() => 0, { timeoutMs: 0, what: 'x' }), 0, 'zero is a find');
  await t.rejects(
    monitor.waitUntil(() => false, { timeoutMs: 20, what: 'br-ex to get a port' }),
    {
      kind: 'timeout',
      message: 'waited 20 ms in vain for br-ex to get a port',
    },
  );
  const broken = (): never => {
    throw new RangeError('mine');
  };
  await t.rejects(monitor.waitUntil(broken, { timeoutMs: 20, what: 'x' }), RangeError);
  const lost = monitor.waitUntil(() => null, { timeoutMs: 5000, what: 'x' });
  peer().socket.destroy();
  await t.rejects(lost, { name: 'OvsdbError', kind: 'lost' });
  await t.rejects(
    monitor.waitUntil(() => true, { timeoutMs: 5000, what: 'x' }),
    { name: 'OvsdbError', kind: 'lost' },
  );
  t.equal(monitor.tables.rows('Bridge').length, 1, 'the last content stays readable');
});

t.test('cancel', async (t) => {
  const { server, client, peer } = await setUp(t);
  const monitor = await client.monitor('db', request);
  const waiting = monitor.waitUntil(() => null, { timeoutMs: 5000, what: 'x' });
  const cancelled = monitor.cancel();
  peer().send(update({ Port: { p1: { new: {} } } }));
  await t.rejects(waiting, { name: 'OvsdbError', kind: 'closed', message: /cancelled/ });
  await cancelled;
  t.match(server.received[1], { method: 'monitor_cancel', params: ['monitor-0'] });
  await client.echo();
  t.equal(monitor.tables.rows('Port').length, 0);
});

t.test('a malformed update ends the connection', async (t) => {
  const { client, peer } = await setUp(t);
  const monitor = await client.monitor('db', request);
  peer().send(update({ Port: 5 }));
  await t.rejects(
    monitor.waitUntil(() => null, { timeoutMs: 5000, what: 'x' }),
    { name: 'OvsdbError', kind: 'protocol' },
  );
});
