// Locks of a real server between two sessions: waiting, stealing, and a lost connection.
import t, { type Test } from 'tap';
import {
  assertLock,
  connect,
  insert,
  type Lock,
  openLock,
  openSession,
  type Session,
} from '../../agent/drivers/ovsdb/index.ts';
import { missingParts, startServer } from './real-server.ts';

const database = 'Inventory';
const patienceMs = 120_000;
const name = 'microshift_net_nb';

/** Resolves when the session loses the lock. */
const lost = (lock: Lock): Promise<void> =>
  new Promise((resolve) => {
    const stop = lock.onChange((isHeld) => {
      if (isHeld) return;
      stop();
      resolve();
    });
  });

t.test('a lock between two sessions', { skip: missingParts() }, async (t) => {
  const server = await startServer(t);
  const open = (t: Test): Session => {
    const session = openSession({ remotes: server.path, database, limitMs: patienceMs });
    t.teardown(() => session.close());
    return session;
  };
  const [one, other] = [open(t), open(t)];
  const write = (session: Session, item: string): Promise<unknown> =>
    session.transact([assertLock(name), insert('Item', { name: item }, 'item')]);
  const refused = {
    name: 'OvsdbError',
    kind: 'operation',
    message: /^operation 0 \(assert microshift_net_nb\) failed: not owner/,
  };

  const first = openLock(one, name);
  await first.held(patienceMs);
  await write(one, 'by the holder');
  const second = openLock(other, name);
  await t.rejects(second.held(100), { name: 'OvsdbError', kind: 'timeout', message: /lock microshift_net_nb not got/ });
  t.notOk(second.isHeld);
  await t.rejects(write(other, 'by who waits'), refused);

  await t.test('a released lock goes to the waiting client', async (t) => {
    await first.release();
    await second.held(patienceMs);
    t.same([first.isHeld, second.isHeld], [false, true]);
    await t.rejects(write(one, 'by who gave it back'), refused);
    await t.rejects(first.held(patienceMs), { name: 'OvsdbError', kind: 'closed' });
  });

  await t.test('the holder of a stolen lock is informed, and gets the lock back after the thief', async (t) => {
    const gone = lost(second);
    const thief = await connect(server.path, patienceMs);
    t.teardown(() => thief.close());
    const [reply] = await Promise.all([thief.call('steal', [name]), gone]);
    t.strictSame(reply, { locked: true });
    await t.rejects(write(other, 'by the victim'), refused);
    await thief.transact(database, [assertLock(name), insert('Item', { name: 'by the thief' }, 'item')]);
    await thief.call('unlock', [name]);
    await second.held(patienceMs);
    await write(other, 'by the victim, later');
  });

  await t.test('after a restart of the server, only the first client that requests the lock gets it', async (t) => {
    const gone = lost(second);
    const rival = openLock(one, name);
    await server.kill('SIGKILL');
    await gone;
    t.notOk(second.isHeld);
    await server.start();
    const holder = await Promise.race([
      second.held(patienceMs).then(() => second),
      rival.held(patienceMs).then(() => rival),
    ]);
    const waiting = holder === rival ? second : rival;
    t.notOk(waiting.isHeld);
    await holder.release();
    await waiting.held(patienceMs);
    await waiting.release();
  });

  await t.test('the end of a session releases its lock', async (t) => {
    const short = open(t);
    const held = openLock(short, name);
    await held.held(patienceMs);
    const next = openLock(one, name);
    short.close();
    await next.held(patienceMs);
    t.notOk(held.isHeld);
    await next.release();
  });
});
