import t, { type Test } from 'tap';
import {
  type ConnectOptions,
  comment,
  connect,
  type OvsdbClient,
  OvsdbError,
} from '../../../agent/drivers/ovsdb/index.ts';
import { type FakeServer, type Script, startFakeServer } from './fake-server.ts';

async function setUp(t: Test, script: Script, options?: ConnectOptions): Promise<[FakeServer, OvsdbClient]> {
  const server = await startFakeServer(script);
  const client = await connect(server.remote, options);
  t.teardown(async () => {
    client.close();
    await server.stop();
  });
  return [server, client];
}

t.test('no server, wrong kind of file, wrong spelling, aborted', async (t) => {
  await t.rejects(connect('unix:/nonexistent/db.sock'), {
    kind: 'unreachable',
    message: /cannot connect to unix:\/nonexistent\/db.sock: the socket does not exist/,
    details: { remote: 'unix:/nonexistent/db.sock', code: 'ENOENT' },
  });
  await t.rejects(connect('tcp:127.0.0.1:1'), {
    name: 'OvsdbError',
    kind: 'unreachable',
    details: { code: 'ECONNREFUSED' },
  });
  await t.rejects(connect(`unix:/${'long/'.repeat(60)}`), { name: 'OvsdbError', kind: 'unreachable' });
  for (const wrong of [
    '',
    'unix:',
    'unix:relative',
    '/run/db.sock',
    'tcp:host',
    'tcp:host:0',
    'tcp:host:70000',
    'ssl:a:1',
  ]) {
    await t.rejects(connect(wrong), TypeError, wrong);
  }
  await t.rejects(connect('unix:/x', { connectTimeoutMs: -1 }), TypeError);
  await t.rejects(connect('unix:/x', { inactivityProbeMs: -1 }), TypeError);
});

t.test('tcp', async (t) => {
  const server = await startFakeServer((message, peer) => peer.reply(message, ['a']), 'tcp');
  const client = await connect(server.remote);
  t.strictSame(await client.listDbs(), ['a']);
  client.close();
  await server.stop();
});

t.test('replies find their call, in any order', async (t) => {
  const waiting: (() => void)[] = [];
  const [, client] = await setUp(t, (message, peer) => {
    waiting.unshift(() => peer.reply(message, message.params ?? null));
    if (waiting.length === 3) for (const reply of waiting) reply();
  });
  const results = await Promise.all([client.call('m', [1]), client.call('m', [2]), client.call('m', [3])]);
  t.strictSame(results, [[1], [2], [3]]);
});

t.test('server echo is answered, other requests are refused politely', async (t) => {
  const server = await startFakeServer();
  server.onConnect = (peer) => {
    peer.send({ id: 'echo', method: 'echo', params: [{ a: 1 }] });
    peer.send({ id: ['any'], method: 'steal_home', params: [] });
    peer.send({ id: null, method: 'unheard_of', params: [] });
  };
  const answers = new Promise<void>((resolve) => {
    server.script = () => server.received.length === 2 && resolve();
  });
  const client = await connect(server.remote);
  await answers;
  t.strictSame(server.received, [
    { id: 'echo', result: [{ a: 1 }], error: null },
    { id: ['any'], result: null, error: 'unknown method' },
  ]);
  client.close();
  await server.stop();
});

t.test('loss in the middle of a reply rejects every call', async (t) => {
  const [, client] = await setUp(t, (message, peer) => {
    if (message.method === 'transact') peer.socket.end('{"id":0,"result":[{"rows":[');
  });
  const calls = [client.listDbs(), client.transact('db', [comment('x')])];
  const settled = await Promise.allSettled(calls);
  t.match(settled, [
    { status: 'rejected', reason: { name: 'OvsdbError', kind: 'lost', details: { method: 'list_dbs' } } },
    {
      status: 'rejected',
      reason: { name: 'OvsdbError', kind: 'lost', details: { method: 'transact', mayHaveApplied: true } },
    },
  ]);
  t.match((settled[0] as PromiseRejectedResult).reason.message, /list_dbs not answered: .*in the middle of a message/);
  t.match(await client.ended, { name: 'OvsdbError', kind: 'lost' });
  await t.rejects(client.transact('db', []), {
    name: 'OvsdbError',
    kind: 'lost',
    message: /not sent/,
    details: { mayHaveApplied: false },
  });
});

t.test('silence ends a call at its deadline and leaves the connection usable', async (t) => {
  const [, client] = await setUp(t, (message, peer) => {
    if (message.method === 'list_dbs') peer.reply(message, ['a']);
  });
  await t.rejects(client.getSchema('x', { timeoutMs: 30 }), {
    kind: 'timeout',
    message: 'get_schema not answered within 30 ms',
    details: { method: 'get_schema', timeoutMs: 30 },
  });
  t.strictSame(await client.listDbs(), ['a']);
  await t.rejects(client.echo({ timeoutMs: Number.NaN }), TypeError);
  await t.rejects(client.echo({ timeoutMs: 2 ** 31 }), TypeError);
});

t.test('a late transaction is cancelled, and the error says that it may have been applied', async (t) => {
  const [server, client] = await setUp(t, (message, peer) => {
    if (message.method === 'cancel') peer.send({ id: 0, result: null, error: 'canceled' });
    if (message.method === 'echo') peer.reply(message, []);
  });
  await t.rejects(client.transact('db', [comment('x')], { timeoutMs: 20 }), {
    name: 'OvsdbError',
    kind: 'timeout',
    message: 'transact not answered within 20 ms; it may have been applied',
    details: { mayHaveApplied: true },
  });
  await client.echo();
  t.strictSame(server.received[1], { id: null, method: 'cancel', params: [0] });
});

t.test('a late reply is ignored', async (t) => {
  const [, client] = await setUp(t, (message, peer) => {
    if (message.id === 1) {
      peer.send({ id: 0, result: ['late'], error: null });
      peer.reply(message, ['second']);
    }
  });
  await t.rejects(client.listDbs({ timeoutMs: 10 }), { name: 'OvsdbError', kind: 'timeout' });
  t.strictSame(await client.listDbs(), ['second']);
});

t.test('garbage closes the connection with a clear error', async (t) => {
  for (const garbage of ['HTTP/1.1 400 Bad Request\r\n', '{"id":0]', '{"no":"message"}', '{"id":0}{']) {
    const [, client] = await setUp(t, (_message, peer) => peer.socket.write(garbage));
    await t.rejects(client.getSchema('x', { timeoutMs: 5000 }), OvsdbError);
    if (garbage !== '{"id":0}{')
      t.match(await client.ended, { name: 'OvsdbError', kind: 'protocol', message: /does not speak OVSDB/ });
  }
});

t.test('a message that never ends hits the size limit', async (t) => {
  const [, client] = await setUp(
    t,
    (_message, peer) => {
      peer.socket.write('{"id":0,"result":["');
      const flood = (): void => {
        while (!peer.socket.destroyed && peer.socket.write('x'.repeat(4096)));
        peer.socket.once('drain', flood);
      };
      flood();
    },
    { maxMessageBytes: 100_000 },
  );
  await t.rejects(client.listDbs(), { name: 'OvsdbError', kind: 'protocol', message: /larger than 100000 bytes/ });
});

t.test('malformed replies to the typed calls', async (t) => {
  const [, client] = await setUp(t, (message, peer) => peer.reply(message, 5));
  await t.rejects(client.listDbs(), { name: 'OvsdbError', kind: 'protocol' });
  await t.rejects(client.getSchema('x'), { name: 'OvsdbError', kind: 'protocol' });
  await t.rejects(client.transact('x', []), { name: 'OvsdbError', kind: 'protocol' });
  await t.rejects(client.monitor('x', {}), { name: 'OvsdbError', kind: 'protocol' });
});

t.test('close rejects what waits', async (t) => {
  const [, client] = await setUp(t, () => {});
  const call = client.listDbs();
  client.close();
  await t.rejects(call, { name: 'OvsdbError', kind: 'closed', message: /closed by this side/ });
  t.match(await client.ended, { name: 'OvsdbError', kind: 'closed' });
  await t.rejects(client.echo(), { name: 'OvsdbError', kind: 'closed' });
  client.close();
});

t.test('inactivity probe', async (t) => {
  await t.test('a server that answers is kept', async (t) => {
    let echoes = 0;
    const enough = new Promise<void>((resolve) => {
      void setUp(
        t,
        (message, peer) => {
          peer.reply(message, []);
          if (++echoes === 3) resolve();
        },
        { inactivityProbeMs: 20 },
      ).then(([, client]) => t.equal(client.endReason, undefined));
    });
    await enough;
  });
  await t.test('one that hangs is lost', async (t) => {
    const [, client] = await setUp(t, () => {}, { inactivityProbeMs: 20 });
    t.match(await client.ended, { name: 'OvsdbError', kind: 'lost', message: /no answer to echo within 20 ms/ });
  });
});
