// Time limit for the first contents of a mirrored database, with a server that is paused. The clock of the timers is
// simulated.
import { once } from 'node:events';
import { mock } from 'node:test';
import t, { type Test } from 'tap';
import { type MirroredDatabase, openMirrored } from '../../../agent/drivers/ovn/mirrored.ts';
import type { JsonObject } from '../../../agent/drivers/ovsdb/json.ts';
import { pauseAfter } from '../../../agent/drivers/ovsdb/ovsdb-session.ts';
import { type FakePeer, startFakeServer } from '../ovsdb/fake-server.ts';

const uuid = '00000000-0000-4000-8000-000000000001';
const schema = { name: 'D', tables: { T: { columns: { n: { type: 'integer' } } } } };
const leader = { row: { new: { name: 'D', model: 'standalone', connected: true, leader: true, cid: ['set', []] } } };
/** Time limit of a request for the contents, after which the connection is closed. */
const requestMs = 15_000;

/** A request for the contents, which the server has not answered. */
interface Asked {
  readonly message: JsonObject;
  readonly peer: FakePeer;
}

/** Opens a database on a server that answers everything except requests for the contents. */
async function openPaused(t: Test) {
  const asked: Asked[] = [];
  let wake = (): void => undefined;
  const server = await startFakeServer((message, peer) => {
    if (message.method === 'monitor') peer.reply(message, { Database: leader });
    else if (message.method === 'get_schema') peer.reply(message, schema);
    else if (message.method === 'lock') peer.reply(message, { locked: true });
    else if (message.method !== 'monitor_cond_since') peer.reply(message, {});
    else {
      asked.push({ message, peer });
      wake();
    }
  });
  mock.timers.enable({ apis: ['setTimeout'] });
  const stop = new AbortController();
  t.teardown(async () => {
    stop.abort();
    mock.timers.reset();
    await server.stop();
  });
  const opening: Promise<MirroredDatabase> = openMirrored(
    { database: 'D', remote: `unix:${server.path}`, tables: { T: [] }, lock: 'l', report: () => undefined },
    stop.signal,
  );
  opening.catch(() => undefined);
  const next = async (): Promise<Asked> => {
    // The wait ends with the reason if the opening fails.
    while (asked.length === 0)
      await Promise.race([
        opening,
        new Promise<void>((resolve) => {
          wake = resolve;
        }),
      ]);
    return asked.shift() as Asked;
  };
  return {
    server,
    opening,
    next,
    /** Lets the limits of these many requests pass one after the other, each with the pause after it. */
    timeOut: async (requests: number): Promise<void> => {
      for (let failures = 0; failures < requests; failures += 1) {
        const { peer } = await next();
        const closed = once(peer.socket, 'close');
        mock.timers.tick(requestMs);
        await closed;
        mock.timers.tick(pauseAfter(failures) + 1);
      }
    },
  };
}

t.test('contents that a paused server sends at the fourth request, within a minute, are mirrored', async (t) => {
  const { opening, next, timeOut } = await openPaused(t);
  await timeOut(3);
  const { message, peer } = await next();
  peer.reply(message, [false, uuid, { T: { [uuid]: { initial: { n: 1 } } } }]);
  const database = await opening;
  t.equal(database.table('T').get(uuid)?.n, 1);
  await database.close();
});

t.test('without contents for a minute, the opening fails and the connection is closed', async (t) => {
  const { server, opening, next, timeOut } = await openPaused(t);
  await timeOut(3);
  const { peer } = await next();
  const closed = once(peer.socket, 'close');
  mock.timers.tick(requestMs);
  await t.rejects(opening, { kind: 'ovsdb-timeout', message: /could not follow at unix:.*monitor_cond_since/ });
  await closed;
  const { connections } = server;
  mock.timers.tick(60_000);
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(server.connections, connections, 'no further attempt follows');
});
