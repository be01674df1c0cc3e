// Final sentence about the node after a person stops a run with Ctrl-C.
import t from 'tap';
import { startDeadline, throwIfStopped } from '../../../agent/deadline.ts';
import { AgentError } from '../../../agent/errors.ts';
import { followedBy } from '../../../agent/failures.ts';
import { interruptOnSignals, uninterrupted } from '../../../agent/run/signals.ts';
import { withStateOfNode } from '../../../agent/run/stopped.ts';
import { errorText } from '../../../agent/view/error-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { type Played, run, stopped } from './played-transaction.ts';

const shown = (error: unknown): string => errorText(withStateOfNode(error), plain);
const stopIn: Played['at'] = (point, { deadline }) => {
  if (point === 'after step 1') deadline.interrupt(stopped());
};

t.test('a transaction that is rolled back', async (t) => {
  const { error } = await run(t, { at: stopIn });
  t.match(
    shown(error),
    /^microshift-net: stopped by SIGTERM; transaction \S+ is rolled back, and the node is in the state before it$/,
  );
  t.match(withStateOfNode(error), { kind: 'interrupted', facts: { ended: 'rolled-back' } });
});

t.test('a transaction whose rollback is incomplete', async (t) => {
  const left = new AgentError('not-restored', 'eth0 has no address', { hint: 'look at it' });
  const { error } = await run(t, { at: stopIn, restore: async () => left });
  t.equal(
    shown(error),
    'microshift-net: stopped by SIGTERM; the rollback is incomplete\n  then: eth0 has no address; look at it',
  );
});

t.test('a run before its transaction', (t) => {
  t.equal(shown(stopped()), 'microshift-net: stopped by SIGTERM; this run has not changed the node');
  t.end();
});

t.test('the failure of a step has no sentence about a signal', (t) => {
  const failed = new AgentError('proof-failed', 'the gateway does not answer');
  for (const error of [failed, followedBy(failed, stopped())]) t.equal(withStateOfNode(error), error);
  t.end();
});

t.test('a first signal stops the run, a further one does not stop its rollback', (t) => {
  const said: string[] = [];
  const before = process.listenerCount('SIGINT');
  const deadline = startDeadline(60_000);
  const end = interruptOnSignals(deadline, (text) => said.push(text));
  process.emit('SIGINT');
  process.emit('SIGINT');
  end();
  deadline.clear();
  t.throws(() => throwIfStopped(deadline), { kind: 'interrupted', message: 'stopped by SIGINT' });
  t.strictSame(said, ['SIGINT: the run is stopping already, and its rollback goes on to its end']);
  t.equal(process.listenerCount('SIGINT'), before);
  t.end();
});

t.test('a signal does not stop the rollback of an earlier run', async (t) => {
  const said: string[] = [];
  const before = process.listenerCount('SIGINT');
  const work = async (): Promise<string> => {
    process.emit('SIGINT');
    return 'done';
  };
  t.equal(await uninterrupted('the rollback of transaction x', (text) => said.push(text), work), 'done');
  t.strictSame(said, ['SIGINT does not stop the rollback of transaction x, which goes on to its end']);
  t.equal(process.listenerCount('SIGINT'), before);
});
