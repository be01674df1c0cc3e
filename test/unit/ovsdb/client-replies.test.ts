import t, { type Test } from 'tap';
import { connect, deleteRows, type OvsdbClient, OvsdbError, wait } from '../../../agent/drivers/ovsdb/index.ts';
import { type FakeServer, type Script, startFakeServer } from './fake-server.ts';

async function setUp(t: Test, script: Script, limitMs = 5_000): Promise<[FakeServer, OvsdbClient]> {
  const server = await startFakeServer(script);
  const client = await connect(server.path, limitMs);
  t.teardown(async () => {
    client.close();
    await server.stop();
  });
  return [server, client];
}

t.test('a socket that does not exist, and a path that is too long', async (t) => {
  await t.rejects(connect('/nonexistent/db.sock', 100), {
    kind: 'unreachable',
    message:
      'cannot connect to unix:/nonexistent/db.sock: the socket does not exist, because ovsdb-server is not running',
  });
  await t.rejects(connect(`/${'long/'.repeat(60)}`, 100), { name: 'OvsdbError', kind: 'unreachable' });
});

t.test('replies belong to their calls in any order', async (t) => {
  const waiting: (() => void)[] = [];
  const [, client] = await setUp(t, (message, peer) => {
    waiting.unshift(() => peer.reply(message, message.params ?? null));
    if (waiting.length === 3) for (const reply of waiting) reply();
  });
  const results = await Promise.all([client.call('m', [1]), client.call('m', [2]), client.call('m', [3])]);
  t.strictSame(results, [[1], [2], [3]]);
});

t.test("the server's echo is answered, and other requests are refused with an error", async (t) => {
  const server = await startFakeServer();
  server.onConnect = (peer) => {
    peer.send({ id: 'echo', method: 'echo', params: [{ a: 1 }] });
    peer.send({ id: ['any'], method: 'steal_home', params: [] });
    peer.send({ id: null, method: 'unheard_of', params: [] });
  };
  const answers = new Promise<void>((resolve) => {
    server.script = () => server.received.length === 2 && resolve();
  });
  const client = await connect(server.path, 5_000);
  await answers;
  t.strictSame(server.received, [
    { id: 'echo', result: [{ a: 1 }], error: null },
    { id: ['any'], result: null, error: 'unknown method' },
  ]);
  client.close();
  await server.stop();
});

t.test('the loss of the connection in the middle of a reply rejects every call', async (t) => {
  const [, client] = await setUp(t, (message, peer) => {
    if (message.method === 'transact') peer.socket.end('{"id":0,"result":[{"rows":[');
  });
  const calls = [client.call('list_dbs', []), client.transact('db', [deleteRows('T', [])])];
  t.match(await Promise.allSettled(calls), [
    {
      status: 'rejected',
      reason: { name: 'OvsdbError', kind: 'lost', message: /list_dbs not answered: .*in the middle of a message/ },
    },
    { status: 'rejected', reason: { name: 'OvsdbError', kind: 'lost', message: /transact not answered/ } },
  ]);
  await t.rejects(client.transact('db', []), { name: 'OvsdbError', kind: 'lost', message: /transact not sent/ });
});

t.test(
  'a call without a reply ends at its limit, and the connection remains usable; a late reply is ignored',
  async (t) => {
    const [, client] = await setUp(
      t,
      (message, peer) => {
        if (message.id !== 1) return;
        peer.send({ id: 0, result: ['late'], error: null });
        peer.reply(message, ['second']);
      },
      1000,
    );
    await t.rejects(client.call('list_dbs', []), {
      kind: 'timeout',
      message: 'list_dbs not answered within 1000 ms',
    });
    t.strictSame(await client.call('list_dbs', []), ['second']);
  },
);

t.test('the limit of a transaction is extended by its waits', async (t) => {
  const [, client] = await setUp(t, () => {}, 10);
  const held = wait({ table: 'T', where: [], columns: [], until: '==', rows: [], timeout: 30 });
  await t.rejects(client.transact('db', [held]), { kind: 'timeout', message: 'transact not answered within 40 ms' });
});

t.test('invalid bytes of the server close the connection with an error', async (t) => {
  for (const garbage of ['HTTP/1.1 400 Bad Request\r\n', '{"id":0]', '{"no":"message"}', '{"id":0}{']) {
    const [, client] = await setUp(t, (_message, peer) => peer.socket.write(garbage));
    await t.rejects(client.transact('x', []), OvsdbError);
    if (garbage !== '{"id":0}{')
      await t.rejects(client.call('echo', []), { kind: 'protocol', message: /not sent: .* does not speak OVSDB/ });
  }
});

t.test('a message that never ends hits the size limit', async (t) => {
  const [, client] = await setUp(
    t,
    (_message, peer) => {
      peer.socket.write('{"id":0,"result":["');
      const flood = (): void => {
        while (!peer.socket.destroyed && peer.socket.write('x'.repeat(1024 * 1024)));
        peer.socket.once('drain', flood);
      };
      flood();
    },
    60_000,
  ); // 64 MiB take seconds on a busy machine.
  await t.rejects(client.call('list_dbs', []), {
    kind: 'too-large',
    message: /^list_dbs not answered: connection to .* closed by this side: a message is larger than 67108864 bytes$/,
  });
});

t.test('close rejects waiting calls', async (t) => {
  const [, client] = await setUp(t, () => {});
  const call = client.call('list_dbs', []);
  client.close();
  await t.rejects(call, { name: 'OvsdbError', kind: 'closed', message: /closed by this side/ });
  await t.rejects(client.call('echo', []), { name: 'OvsdbError', kind: 'closed' });
  client.close();
});
