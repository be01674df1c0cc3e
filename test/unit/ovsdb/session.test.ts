import t, { type Test } from 'tap';
import { openMirror, openSession } from '../../../agent/drivers/ovsdb/index.ts';
import type { Json, JsonObject } from '../../../agent/drivers/ovsdb/json.ts';
import { pauseAfter } from '../../../agent/drivers/ovsdb/ovsdb-session.ts';
import { type FakePeer, startFakeServer } from './fake-server.ts';

const uuid = '00000000-0000-4000-8000-000000000001';
const patienceMs = 60_000;
const schema = { name: 'D', tables: { T: { columns: { n: { type: 'integer' } } } } };
const leader = { row: { new: { name: 'D', model: 'standalone', connected: true, leader: true, cid: ['set', []] } } };

/** Returns a server that knows one method to monitor tables, whose requests `contents` answers. */
const serve =
  (known: string, contents: (message: JsonObject, peer: FakePeer) => void) =>
  (message: JsonObject, peer: FakePeer): void => {
    if (message.method === 'monitor') peer.reply(message, { Database: leader });
    else if (message.method === 'get_schema') peer.reply(message, schema);
    else if (message.method === known) contents(message, peer);
    else if (message.id !== undefined) peer.reply(message, null, 'unknown method');
  };

/** Opens a mirror of a server that answers requests to monitor tables by `contents`. */
async function openServed(t: Test, method: string, contents: (message: JsonObject, peer: FakePeer) => void) {
  const server = await startFakeServer();
  server.script = serve(method, contents);
  const session = openSession({ remotes: server.path, database: 'D', limitMs: patienceMs });
  t.teardown(async () => {
    session.close();
    await server.stop();
  });
  return { session, mirror: await openMirror(session, { T: {} }, patienceMs) };
}

const monitorOf = (message: JsonObject): Json => (message.params as readonly Json[])[1] ?? null;

t.test('pauses between attempts are bounded', async (t) => {
  t.strictSame([0, 1, 2, 3, 4, 5, 6, 7, 1e6].map(pauseAfter), [0, 250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
});

t.test('a notification that arrives together with the reply is applied after it', async (t) => {
  const { mirror } = await openServed(t, 'monitor_cond_since', (message, peer) => {
    const id = monitorOf(message);
    const reply = {
      id: message.id ?? null,
      result: [false, uuid, { T: { [uuid]: { initial: { n: 1 } } } }],
      error: null,
    };
    const notice = { id: null, method: 'update3', params: [id, uuid, { T: { [uuid]: { modify: { n: 2 } } } }] };
    const foreign = { id: null, method: 'update3', params: ['another', uuid, { T: { [uuid]: { delete: null } } }] };
    peer.socket.write(JSON.stringify(reply) + JSON.stringify(notice) + JSON.stringify(foreign));
  });
  t.ok(await mirror.until(() => mirror.table('T').get(uuid)?.n === 2, patienceMs));
});

t.test('a server without monitor_cond_since', async (t) => {
  const { mirror } = await openServed(t, 'monitor_cond', (message, peer) => {
    peer.reply(message, { T: { [uuid]: { initial: { n: 1 } } } });
    peer.send({ id: null, method: 'update2', params: [monitorOf(message), { T: { [uuid]: { modify: { n: 2 } } } }] });
  });
  t.ok(await mirror.until(() => mirror.table('T').get(uuid)?.n === 2, patienceMs));
});

t.test('if the server still has the history, the session requests only new changes', async (t) => {
  const asked: Json[] = [];
  const { session, mirror } = await openServed(t, 'monitor_cond_since', (message, peer) => {
    asked.push((message.params as readonly Json[])[3] ?? null);
    if (asked.length === 1) peer.reply(message, [false, uuid, { T: { [uuid]: { initial: { n: 1 } } } }]);
    else peer.reply(message, [true, uuid.replace(/1$/, '2'), { T: { [uuid]: { modify: { n: 2 } } } }]);
  });
  const changes: unknown[] = [];
  mirror.onChange((batch) => changes.push(...batch.map(({ old, now }) => [old?.n, now?.n])));
  (await session.client()).close();
  await mirror.until(() => mirror.table('T').get(uuid)?.n === 2, patienceMs);
  t.strictSame(asked, ['00000000-0000-0000-0000-000000000000', uuid]);
  t.strictSame(changes, [[1, 2]]);
});

t.test('after an update of an unknown row, the contents are requested again', async (t) => {
  let times = 0;
  const { mirror } = await openServed(t, 'monitor_cond_since', (message, peer) => {
    times += 1;
    peer.reply(message, [false, uuid, { T: { [uuid]: { initial: { n: times } } } }]);
    if (times > 1) return;
    const strange = { T: { [uuid.replace(/1$/, '9')]: { modify: { n: 2 } } } };
    peer.send({ id: null, method: 'update3', params: [monitorOf(message), uuid, strange] });
  });
  await mirror.until(() => mirror.table('T').get(uuid)?.n === 2, patienceMs);
  t.equal(times, 2);
});
