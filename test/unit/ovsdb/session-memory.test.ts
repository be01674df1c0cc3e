// A session lasts as long as the process: requests that have ended leave nothing in it.
import { join } from 'node:path';
import t from 'tap';
import { openLock, openMirror, openSession } from '../../../agent/drivers/ovsdb/index.ts';
import { leftPerTry } from '../heap.ts';

const tries = 500;
const shouldFail = (): never => {
  throw new Error('no server');
};

t.test('mirrors and locks of a server that cannot be reached', async (t) => {
  const session = openSession({ remotes: `unix:${join(t.testdir(), 'none.sock')}`, database: 'D', limitMs: 1000 });
  t.teardown(() => session.close());
  const mirror = await leftPerTry(tries, () => openMirror(session, { T: {} }, 1).then(shouldFail, () => undefined));
  t.ok(mirror < 500, `a mirror that could not be opened leaves ${mirror.toFixed(0)} bytes`);
  const lock = await leftPerTry(tries, () => openLock(session, 'lock').release());
  t.ok(lock < 500, `a released lock leaves ${lock.toFixed(0)} bytes`);
});

t.test('calls after the end of a session get its error', async (t) => {
  const session = openSession({ remotes: `unix:${join(t.testdir(), 'none.sock')}`, database: 'D', limitMs: 1000 });
  session.close();
  await t.rejects(openMirror(session, { T: {} }, 60_000), { message: /closed by this side/ });
  await t.rejects(openLock(session, 'lock').held(60_000), { message: /closed by this side/ });
});
