// Ctrl-C during `overlay init` and `overlay join`: every wait ends, and the command reports the state of the node.
import path from 'node:path';
import t from 'tap';
import { openSwitchDatabase } from '../../../agent/drivers/ovn/database.ts';
import { AgentError } from '../../../agent/errors.ts';
import { notRestored } from '../../../agent/run/overlay/record/not-restored.ts';
import { stillMember, stoppable } from '../../../agent/run/stoppable.ts';
import { errorText } from '../../../agent/view/error-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { startFakeServer } from '../ovsdb/fake-server.ts';

const silent = (): void => undefined;
const shown = (work: (stop: AbortSignal) => Promise<unknown>): Promise<string> =>
  stoppable(silent, work).then(String, (error: AgentError) => errorText(error, plain));

t.test('a signal ends the wait for a row, and the change is rolled back', async (t) => {
  const server = await startFakeServer();
  t.teardown(() => server.stop());
  const listeners = process.listenerCount('SIGINT');
  const rolledBack: string[] = [];
  const text = await shown(async (stop) => {
    const database = await openSwitchDatabase(path.dirname(server.path), stop);
    const waits = database.appears({ table: 'Interface', where: [] }, 60_000);
    process.emit('SIGINT');
    await waits.catch((error: unknown) => {
      rolledBack.push(String(error));
      throw error;
    });
  });
  t.strictSame(rolledBack, ['AgentError: stopped by SIGINT']);
  t.equal(
    text,
    'microshift-net: stopped by SIGINT; what was begun is rolled back, and the node is in the state before; run it again if its change is still wanted',
  );
  t.equal(process.listenerCount('SIGINT'), listeners);
});

t.test('no connection is opened after a signal', async (t) => {
  const server = await startFakeServer();
  t.teardown(() => server.stop());
  await shown(async (stop) => {
    process.emit('SIGTERM');
    await openSwitchDatabase(path.dirname(server.path), stop);
  });
  t.equal(server.connections, 0);
});

t.test('an incomplete rollback', async (t) => {
  const text = await shown(async (stop) => {
    process.emit('SIGINT');
    throw notRestored(stop.reason, new Error('the database is full'), 'look at it');
  });
  t.equal(
    text,
    'microshift-net: stopped by SIGINT; the rollback is incomplete; run it again if its change is still wanted\n  then: the old state could not be restored: the database is full; look at it',
  );
});

t.test('a failure without a signal has no sentence about a signal', async (t) => {
  const failed = new AgentError('proof-failed', 'it is not connected');
  t.equal(await shown(() => Promise.reject(failed)), 'microshift-net: it is not connected');
  t.equal(await shown(async () => 'done'), 'done');
});

t.test('an apply on a member keeps the node in its overlay', async (t) => {
  const apply = async (stop: AbortSignal): Promise<void> => {
    process.emit('SIGINT');
    stop.throwIfAborted();
  };
  const error = await stoppable(silent, apply, { state: stillMember }).then(
    () => t.fail('the interrupted work succeeded'),
    (thrown: AgentError) => thrown,
  );
  t.equal(
    errorText(error as AgentError, plain),
    'microshift-net: stopped by SIGINT; this node stays in its overlay, and the next `overlay apply` or the daemon makes what is missing; run it again if its change is still wanted',
  );
});
