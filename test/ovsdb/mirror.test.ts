// The contents of a mirror of a real server equal those of a full read after every write and every lost connection.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import t, { type Test } from 'tap';
import {
  connect,
  deleteRows,
  insert,
  type Mirror,
  type MirrorRow,
  type OvsdbClient,
  OvsdbError,
  openMirror,
  openSession,
  type Session,
  type SessionState,
  select,
  update,
} from '../../agent/drivers/ovsdb/index.ts';
import { seededRandom } from '../unit/ovsdb/random.ts';
import { startCluster } from './raft-cluster.ts';
import { missingParts, startServer, vswitchSchema } from './real-server.ts';
import { columns, randomOperations } from './writer.ts';

const inventory = 'Inventory';
/** Limit for events whose time is not known: a new connection, an election. */
const patienceMs = 120_000;

function open(t: Test, remotes: string | readonly string[], database = inventory): Session {
  const session = openSession({ remotes, database, limitMs: patienceMs });
  t.teardown(() => session.close());
  return session;
}

/** Writes random changes over a separate connection; the server may refuse some of them. */
async function write(client: OvsdbClient, random: (limit: number) => number): Promise<void> {
  const [rows] = await client.transact(inventory, [select('Item', [], ['_uuid', 'name'])]);
  const inOrder = [...rows].sort((one, other) => (String(one.name) < String(other.name) ? -1 : 1));
  await client.transact(inventory, randomOperations(random, inOrder)).catch((error: unknown) => {
    if (!(error instanceof OvsdbError) || error.kind !== 'operation') throw error;
  });
}

/** Checks that the found rows equal the wanted ones. */
function same(t: Test, found: readonly MirrorRow[], wanted: readonly MirrorRow[], what: string): void {
  if (isDeepStrictEqual(found, wanted)) t.pass(what);
  else t.strictSame(found, wanted, what);
}

const byUuid = (rows: Iterable<MirrorRow>): MirrorRow[] =>
  [...rows].sort((one, other) => (JSON.stringify(one._uuid) < JSON.stringify(other._uuid) ? -1 : 1));

/** Waits until the mirror has the wanted rows: the answer to a read can precede the notification of earlier writes. */
async function becomes(t: Test, mirror: Mirror, wanted: readonly MirrorRow[], what: string): Promise<void> {
  const rows = (): MirrorRow[] => byUuid(mirror.table('Item').rows());
  await mirror.until(() => isDeepStrictEqual(rows(), wanted), 30_000).catch(() => undefined);
  same(t, rows(), wanted, what);
}

async function fullRead(session: Session): Promise<MirrorRow[]> {
  const [rows] = await session.transact([select('Item', [], ['_uuid', ...columns])]);
  return byUuid(rows);
}

t.test(
  'after random writes, the contents and the replayed events of a mirror equal a full read',
  { skip: missingParts() },
  async (t) => {
    const server = await startServer(t);
    const seed = 7047;
    const random = seededRandom(seed);
    const writer = await connect(server.path, patienceMs);
    for (let round = 0; round < 5; round++) await write(writer, random);
    const session = open(t, server.path);
    const mirror = await openMirror(session, { Item: { columns, indexes: ['name', 'tags', 'parts'] } }, patienceMs);
    const items = mirror.table('Item');
    const replayed = new Map([...items.rows()].map((row) => [String((row._uuid as string[])[1]), row]));
    mirror.onChange((changes) => {
      for (const { uuid, old, now } of changes) {
        if (old !== replayed.get(uuid)) t.fail(`${uuid}: the old row of the event is not the last new row`);
        if (now === undefined) replayed.delete(uuid);
        else replayed.set(uuid, now);
      }
    });
    for (let round = 0; round < 150; round++) {
      await write(writer, random);
      await becomes(t, mirror, await fullRead(session), `seed ${seed}, round ${round}`);
    }
    same(t, byUuid(replayed.values()), byUuid(items.rows()), 'the replayed events');
    for (const row of items.rows()) {
      t.strictSame(items.find('name', row.name as string), [row]);
      for (const tag of ['a', 'b']) {
        const tagged = [...items.rows()].filter((other) => JSON.stringify(other.tags).includes(`"${tag}"`));
        same(t, byUuid(items.find('tags', tag)), byUuid(tagged), `the index of ${tag}`);
      }
    }
    t.throws(() => items.find('note', 'x'), { name: 'OvsdbError', kind: 'invalid' });
    t.throws(() => mirror.table('Nowhere'), { name: 'OvsdbError', kind: 'invalid' });

    await t.test('when a transaction of the session is answered, the mirror has its rows', async (t) => {
      await session.transact([insert('Item', { name: 'own' }, 'own')]);
      t.equal(items.find('name', 'own').length, 1);
    });

    await t.test('a wait for a condition of the contents', async (t) => {
      t.equal(await mirror.until(() => items.find('name', 'own').length, patienceMs), 1);
      const come = mirror.until(() => items.find('name', 'later')[0], patienceMs);
      await writer.transact(inventory, [insert('Item', { name: 'later' }, 'later')]);
      t.match(await come, { name: 'later' });
      await t.rejects(
        mirror.until(() => false, 20),
        { name: 'OvsdbError', kind: 'timeout' },
      );
      const mistake = new Error('mistake');
      await t.rejects(
        mirror.until(() => {
          throw mistake;
        }, patienceMs),
        mistake,
      );
    });

    await t.test('after a restart of the server, changes in the meantime arrive as differences', async (t) => {
      const kept = items.find('name', 'own')[0];
      const { ended } = await session.client();
      await server.kill('SIGKILL');
      await ended;
      t.equal(items.find('name', 'own')[0], kept, 'the old contents stay while the server is not running');
      await server.start();
      const again = await connect(server.path, patienceMs);
      for (let round = 0; round < 10; round++) await write(again, random);
      again.close();
      await mirror.until(() => true, patienceMs);
      await becomes(t, mirror, await fullRead(session), 'a full read');
      same(t, byUuid(replayed.values()), byUuid(items.rows()), 'the replayed events');
    });

    await t.test('a closed mirror', async (t) => {
      const waiting = mirror.until(() => false, patienceMs);
      mirror.close();
      await t.rejects(waiting, { name: 'OvsdbError', kind: 'closed' });
      const other = await openMirror(session, { Item: {} }, patienceMs);
      const waitingToo = other.until(() => false, patienceMs);
      session.close();
      await t.rejects(waitingToo, { name: 'OvsdbError', kind: 'closed' });
      await t.rejects(session.transact([]), { name: 'OvsdbError', kind: 'closed' });
      await t.rejects(openMirror(session, { Item: {} }, patienceMs), { name: 'OvsdbError', kind: 'closed' });
    });
    writer.close();
  },
);

t.test('conditions, and columns that the database lacks', { skip: missingParts() }, async (t) => {
  const server = await startServer(t);
  const session = open(t, server.path);
  const requests = {
    Item: { columns: ['name', 'weight', 'of_a_newer_schema'], where: [['weight', '>', 5]] as const },
    NewTable: { columns: ['name'] },
  };
  const mirror = await openMirror(session, requests, patienceMs);
  const names = (): unknown[] => [...mirror.table('Item').rows()].map((row) => row.name);
  t.strictSame(
    [mirror.has('Item', 'name'), mirror.has('Item', 'of_a_newer_schema'), mirror.has('NewTable')],
    [true, false, false],
  );
  await session.transact([
    insert('Item', { name: 'light', weight: 1 }, 'one'),
    insert('Item', { name: 'heavy', weight: 9 }, 'two'),
  ]);
  t.strictSame(names(), ['heavy']);
  await session.transact([update('Item', [['name', '==', 'light']], { weight: 6 })]);
  t.strictSame(names().sort(), ['heavy', 'light']);
  await session.transact([update('Item', [['name', '==', 'heavy']], { weight: 0 })]);
  t.strictSame(names(), ['light']);
  t.equal(mirror.table('NewTable').size, 0);
  const refused = openMirror(session, { Item: { columns: ['name'], where: [['weight', '>', 'x']] } }, 500);
  await t.rejects(refused, { name: 'OvsdbError' }, 'a condition that the server refuses is an error');
});

t.test('a schema that is upgraded while a mirror follows the database', { skip: missingParts() }, async (t) => {
  const server = await startServer(t);
  const session = open(t, server.path);
  const mirror = await openMirror(session, { Item: { columns: ['name', 'added'], indexes: ['name'] } }, patienceMs);
  await session.transact([insert('Item', { name: 'old' }, 'old')]);
  const newer = JSON.parse(readFileSync(`${server.folder}/inventory.ovsschema`, 'utf8'));
  newer.version = '1.1.0';
  newer.tables.Item.columns.added = { type: { key: 'string', min: 0, max: 1 } };
  writeFileSync(`${server.folder}/newer.ovsschema`, JSON.stringify(newer));
  execFileSync('ovsdb-client', ['convert', `unix:${server.path}`, `${server.folder}/newer.ovsschema`]);
  await mirror.until(() => mirror.has('Item', 'added'), patienceMs);
  t.match(mirror.table('Item').find('name', 'old')[0], { name: 'old', added: ['set', []] });
  await session.transact([update('Item', [], { added: 'now' })]);
  t.match(mirror.table('Item').find('name', 'old')[0], { added: 'now' });
});

t.test('a session without a server reports it', { skip: missingParts() }, async (t) => {
  const remotes = 'unix:/nonexistent/db.sock';
  const limitMs = 200;
  let report: (state: SessionState) => void = () => {};
  const reported = new Promise<SessionState>((resolve) => {
    report = resolve;
  });
  const session = openSession({ remotes, database: inventory, limitMs, report: (state) => report(state) });
  t.match(await reported, { connected: false, error: { kind: 'unreachable' }, retryInMs: 0 });
  await t.rejects(openMirror(session, { Item: {} }, 200), { name: 'OvsdbError', kind: 'unreachable' });
  await t.rejects(session.transact([]), {
    kind: 'unreachable',
    message: /no connection to Inventory within 200 ms: .*socket/,
  });
  session.close();
  t.throws(() => openSession({ remotes: 'nothing', database: inventory, limitMs }), {
    name: 'OvsdbError',
    kind: 'invalid',
  });
});

t.test('a cluster whose leader is killed', { skip: missingParts() }, async (t) => {
  const vswitch = 'Open_vSwitch';
  const cluster = await startCluster(t, vswitchSchema, vswitch);
  const session = open(t, cluster.remotes, vswitch);
  const mirror = await openMirror(session, { Open_vSwitch: { columns: ['ovs_version'] } }, patienceMs);
  const version = (): unknown => [...mirror.table(vswitch).rows()][0]?.ovs_version;
  /** Writes the row again until the write succeeds, because an election can interrupt it. */
  const setVersion = async (text: string): Promise<void> => {
    const operations = [deleteRows(vswitch, []), insert(vswitch, { ovs_version: text }, 'root')];
    await session.transact(operations).catch((error: unknown) => {
      if (!(error instanceof OvsdbError) || error.kind !== 'lost') throw error;
      return setVersion(text);
    });
  };
  await setVersion('first');
  await mirror.until(() => version() === 'first', patienceMs);
  const leader = await session.client();
  const lost = leader.ended;
  await cluster.kill(leader.remote);
  await lost;
  await mirror.until(() => true, patienceMs);
  t.not((await session.client()).remote, leader.remote);
  // The new leader may not have committed the last write of the old leader yet; then the row arrives shortly after the
  // first contents.
  await mirror.until(() => version() === 'first', patienceMs);
  await setVersion('second');
  t.equal(await mirror.until(() => version() === 'second' && 'second', patienceMs), 'second');
});
