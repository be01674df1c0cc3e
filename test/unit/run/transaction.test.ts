// A transaction from its journal to its end: changes that are kept, changes that are rolled back, and the journal
// entries. The node is simulated.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { AgentError } from '../../../agent/errors.ts';
import { failuresOf } from '../../../agent/failures.ts';
import { readJournals } from '../../../agent/run/journal/journal-files.ts';
import { appliedCase } from '../plan/cases.ts';
import { checkpoint, now, type Played, type Ran, refused, run, takenBack, transaction } from './played-transaction.ts';

const pushed = 'CheckpointAdjustRollbackTimeout';

t.test('a successful run is committed, and leaves no subscription or heartbeat', async (t) => {
  const ran = await run(t, {});
  t.equal(ran.error, null);
  t.match(ran.result, { id: transaction, state: 'committed', confirmUntil: null });
  t.equal(ran.result?.stepTimesMs.length, 4, 'the journal has times of two steps, the proof and the commit');
  t.strictSame(ran.calls, ['probe', 'CheckpointCreate', 'step a', 'step b', 'observe', 'CheckpointDestroy']);
  t.match(ran.journal, { state: 'committed', stateAt: now, detail: null, checkpoint, confirmUntil: null });
  t.ok(ran.journal?.stepTimesMs.every((tookMs) => tookMs !== null));
  t.strictSame(ran.restored, []);
  t.equal(ran.leftRunning, 0);
});

t.test('the progress reports the begin and the end of every step', async (t) => {
  const { progress } = await run(t, { names: ['a'] });
  t.strictSame(progress, [
    '1/3 writeProfiles started',
    '1/3 writeProfiles done',
    '2/3 prove started',
    '2/3 prove done',
    '3/3 commit started',
    '3/3 commit done',
  ]);
  const failed = await run(t, { names: ['a'], answer: failing('step a') });
  t.strictSame(failed.progress, ['1/3 writeProfiles started', '1/3 writeProfiles failed']);
});

t.test('a run passes the fault points of docs/lab/faults.md in order', async (t) => {
  const beginning = ['before journal', 'after journal', 'before checkpoint', 'after checkpoint'];
  const first = ['before step 1', 'after step 1', 'before step 2'];
  const rest = ['after step 2', 'before step 3', 'after step 3', 'before step 4', 'after step 4', 'before journal-end'];
  t.strictSame((await run(t, {})).points, [...beginning, ...first, ...rest]);
  const back = ['before rollback', 'after rollback'];
  t.strictSame((await run(t, { answer: failing('step b') })).points, [...beginning, ...first, ...back]);
  t.strictSame((await run(t, { answer: failing('CheckpointCreate') })).points, [...beginning.slice(0, 3), ...back]);
});

t.test('the journal is open before the checkpoint, and names it before the first step', async (t) => {
  const seen: unknown[] = [];
  await run(t, {
    at: (point, { directory }) => {
      const [record] = readJournals(directory).records;
      if (point === 'before checkpoint' || point === 'before step 1') seen.push([record?.state, record?.checkpoint]);
    },
  });
  t.strictSame(seen, [
    ['open', null],
    ['open', checkpoint],
  ]);
});

t.test('with a time to confirm, the checkpoint is kept for longer, and the journal has its end', async (t) => {
  const ran = await run(t, { confirmTimeoutSeconds: 90 });
  const confirmUntil = '2026-01-02T03:05:35.000Z';
  t.match(ran.result, { state: 'awaiting-confirm', confirmUntil });
  t.match(ran.journal, { state: 'awaiting-confirm', confirmUntil, checkpoint });
  t.equal(ran.calls.at(-1), `${pushed} 120`);
  t.notOk(ran.calls.includes('CheckpointDestroy'));
  t.strictSame(ran.restored, []);
  t.equal(ran.leftRunning, 0);
});

t.test('a checkpoint whose timer cannot be set to the time to confirm is a failure', async (t) => {
  const ran = await run(t, { confirmTimeoutSeconds: 90, answer: failing(`${pushed} 120`) });
  takenBack(t, ran, checkpoint);
});

t.test('nothing is begun while ovs-vswitchd does not answer', async (t) => {
  const ran = await run(t, { answer: failing('probe', new AgentError('vswitchd-not-responding', 'silent')) });
  t.match(ran.error, { kind: 'vswitchd-not-responding', facts: {} });
  t.notOk('ended' in (ran.error?.facts ?? {}), 'no transaction had to be ended');
  t.strictSame([ran.calls, ran.points, ran.restored], [['probe'], [], []]);
  t.equal(ran.journal, undefined);
  t.equal(ran.leftRunning, 0);
});

t.test('a journal that cannot be written ends the run before the first change', async (t) => {
  const ran = await run(t, { directory: join(t.testdir({ file: '' }), 'file') });
  t.match(ran.error, { kind: 'state-unwritable' });
  t.strictSame([ran.calls, ran.points, ran.restored], [['probe'], ['before journal'], []]);
  t.equal(ran.leftRunning, 0);
});

t.test('after every failure the old state is restored once, and no step runs afterwards', async (t) => {
  const notAsWanted = appliedCase('static4').observation;
  const table: Readonly<Record<string, readonly [Played, last: string, path: string | null]>> = {
    'no checkpoint': [{ answer: failing('CheckpointCreate') }, 'CheckpointCreate', null],
    'the first step': [{ answer: failing('step a') }, 'step a', checkpoint],
    'the last step': [{ answer: failing('step b') }, 'step b', checkpoint],
    'the node cannot be observed': [{ answer: failing('observe') }, 'observe', checkpoint],
    'the node is not in the desired state': [{ after: notAsWanted }, 'observe', checkpoint],
    'the commit': [{ answer: failing('CheckpointDestroy') }, 'CheckpointDestroy', checkpoint],
  };
  for (const [what, [played, last, path]] of Object.entries(table)) {
    const ran = await run(t, played);
    takenBack(t, ran, path, what);
    t.equal(ran.calls.at(-1), last, what);
  }
  t.match((await run(t, { after: notAsWanted })).error, { kind: 'proof-failed' });
});

t.test('a defect of the agent is rolled back as any other failure', async (t) => {
  const answer = (call: string): void => {
    if (call === 'step b') throw new TypeError('x is undefined');
  };
  const ran = await run(t, { answer });
  takenBack(t, ran, checkpoint);
  t.match(ran.error, { kind: 'internal' });
});

t.test('a run whose end cannot be recorded is rolled back, even after the checkpoint was destroyed', async (t) => {
  const at: Played['at'] = (point, { directory }) => {
    if (point === 'before journal-end') rmSync(directory, { recursive: true });
  };
  const ran = await run(t, { at });
  t.match(ran.error, { kind: 'state-unwritable', facts: { transaction, ended: 'rolled-back' } });
  t.strictSame(ran.restored, [checkpoint]);
  t.equal(ran.leftRunning, 0);
});

t.test('a rollback that fails is reported after the failure that caused it', async (t) => {
  const [first, left] = [refused('step b is refused'), notRestored()];
  const ran = await run(t, { answer: failing('step b', first), restore: async () => left });
  t.match(ran.error, { kind: 'not-restored', facts: { missing: [], transaction, ended: 'not-restored' } });
  t.strictSame(messages(ran), [first.message, left.message]);
  t.match(ran.journal, { state: 'not-restored', stateAt: now, detail: first.message, later: left.message });
  t.equal(ran.leftRunning, 0);
});

t.test(
  'an end that cannot be recorded is reported after the first failure, if the old state is restored or not',
  async (t) => {
    for (const left of [null, notRestored()]) {
      const first = refused('step b is refused');
      const restore: Played['restore'] = async ({ directory }) => {
        rmSync(directory, { recursive: true });
        return left;
      };
      const ran = await run(t, { answer: failing('step b', first), restore });
      t.equal(ran.error?.kind, left?.kind ?? first.kind);
      const [one, ...more] = messages(ran);
      t.equal(one, first.message);
      t.match(more.at(-1), /cannot be written/);
      t.equal(more.length, left === null ? 1 : 2);
      t.equal(ran.leftRunning, 0);
    }
  },
);

t.test('the journal stays open until the rollback has ended', async (t) => {
  const seen: unknown[] = [];
  const restore: Played['restore'] = async ({ directory }) => {
    seen.push(readJournals(directory).records.map(({ state }) => state));
    return null;
  };
  await run(t, { answer: failing('step b'), restore });
  t.strictSame(seen, [['open']]);
});

t.test('after an incomplete rollback, the journal stays open for the next run', async (t) => {
  const restore = () => Promise.reject(refused('the bus is closed'));
  const ran = await run(t, { answer: failing('step b'), restore });
  t.match(ran.error, { kind: 'not-restored' });
  t.strictSame(messages(ran), [refused().message, 'the rollback broke off: the bus is closed']);
  t.match(ran.journal, { state: 'open', checkpoint });
  t.equal(ran.leftRunning, 0);
});

function notRestored(): AgentError {
  return new AgentError('not-restored', 'the old state could not be fully restored', { facts: { missing: [] } });
}

/** Returns the messages of all failures of a run, in order. */
function messages({ error }: Ran): readonly string[] {
  return error === null ? [] : failuresOf(error).map(({ message }) => message);
}

/** Returns a function that refuses one call. */
function failing(call: string, error = refused()): NonNullable<Played['answer']> {
  return (asked) => {
    if (asked === call) throw error;
  };
}
