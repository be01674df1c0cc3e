// A transaction that receives a signal to stop, or whose answers arrive late or never. The node is simulated, and the
// test decides when answers arrive.
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { AgentError } from '../../../agent/errors.ts';
import type { Step } from '../../../agent/model/plan.ts';
import { checkpoint, type Played, refused, run, stopped, takenBack, untilStopped } from './played-transaction.ts';

const timeOver = new AgentError('deadline-exceeded', 'the run did not end within 150 s');
const gone = new AgentError('networkmanager-not-running', 'NetworkManager left the bus');
const noAnswer = new AgentError('dbus-timeout', 'no answer within 15 s');
const push = 'CheckpointAdjustRollbackTimeout 12';

t.test('a time limit that passes during a step ends the run after that step', async (t) => {
  const answer: Played['answer'] = (call, { deadline }) => {
    if (call === 'step b') deadline.interrupt(timeOver);
  };
  const ran = await run(t, { names: ['a', 'b', 'c'], answer });
  takenBack(t, ran, checkpoint);
  t.match(ran.error, { kind: 'deadline-exceeded' });
  t.strictSame(ran.calls, ['probe', 'CheckpointCreate', 'step a', 'step b']);
  t.equal(ran.journal?.stepTimesMs[1] === null, false, 'the journal has the time of the completed step');
});

t.test('a stopped run makes no further step, at any point between two steps', async (t) => {
  const points = (await run(t, {})).points;
  const last = 'after step 4';
  for (const stop of points.slice(0, points.indexOf(last))) {
    const at: Played['at'] = (point, { deadline }) => {
      if (point === stop) deadline.interrupt(stopped());
    };
    const ran = await run(t, { at });
    takenBack(t, ran, checkpoint, stop);
    t.match(ran.error, { kind: 'interrupted' }, stop);
    const done = /^(before|after) step (\d)$/.exec(stop);
    const steps = done === null ? 0 : Number(done[2]) - (done[1] === 'before' ? 1 : 0);
    const made = ran.calls.filter((call) => call.startsWith('step ')).length;
    t.equal(made, Math.min(2, steps), stop);
    t.notOk(ran.calls.includes('CheckpointDestroy'), `${stop}: nothing is committed`);
  }
});

t.test('a run that is stopped after its commit stays committed', async (t) => {
  for (const stop of ['after step 4', 'before journal-end']) {
    const at: Played['at'] = (point, { deadline }) => {
      if (point === stop) deadline.interrupt(stopped());
    };
    const ran = await run(t, { at });
    t.match(
      [ran.error, ran.result, ran.journal, ran.restored],
      [null, { state: 'committed' }, { state: 'committed' }, []],
    );
  }
});

t.test('a run that was stopped is rolled back to a checkpoint that was reported only afterwards', async (t) => {
  const ran = await run(t, { answer: late('CheckpointCreate') });
  takenBack(t, ran, checkpoint);
  t.strictSame(ran.calls, ['probe', 'CheckpointCreate']);
});

t.test('a step waits for each of its answers, in any order', async (t) => {
  const profiles = ['x', 'y', 'z'].map((id) => ({
    id,
    uuid: id,
    settings: { connection: { id: ['s', id] as const } },
  }));
  const steps: readonly Step[] = [
    { do: 'writeProfiles', profiles, why: 'side by side' },
    {
      do: 'writeProfiles',
      profiles: [{ id: 'n', uuid: 'n', settings: { connection: { id: ['s', 'n'] } } }],
      why: 'next',
    },
  ];
  const waiting: (() => void)[] = [];
  const order: string[] = [];
  const answer: Played['answer'] = async (call) => {
    if (!/^step [xyz]$/.test(call)) return;
    const own = new Promise<void>((resolve) => waiting.push(resolve));
    // The test answers the last call first.
    if (waiting.length === profiles.length) for (const resolve of waiting.toReversed()) setImmediate().then(resolve);
    await own;
    order.push(call);
  };
  const ran = await run(t, { plan: { steps }, answer });
  t.strictSame(order.toSorted(), ['step x', 'step y', 'step z']);
  t.strictSame(ran.calls.slice(2, 6), ['step x', 'step y', 'step z', 'step n']);
  t.equal(ran.result?.state, 'committed');
});

t.test('a late answer of a step that has already failed changes nothing', async (t) => {
  const profiles = ['x', 'y'].map((id) => ({ id, uuid: id, settings: { connection: { id: ['s', id] as const } } }));
  let answerLate = (): void => undefined;
  const answer: Played['answer'] = async (call) => {
    if (call === 'step y') throw refused();
    if (call !== 'step x') return;
    await new Promise<void>((_resolve, reject) => {
      answerLate = () => reject(noAnswer);
    });
  };
  const ran = await run(t, {
    plan: { steps: [{ do: 'writeProfiles', profiles, why: 'side by side' }] },
    answer,
    restore: async () => {
      answerLate();
      await setImmediate();
      return null;
    },
  });
  takenBack(t, ran, checkpoint);
  t.match(ran.error, { kind: 'networkmanager-refused' }, 'the first failure is reported');
});

t.test('an end of NetworkManager is reported instead of the failures that it causes', async (t) => {
  const answer: Played['answer'] = async (call, { vanish }) => {
    if (call !== 'step b') return;
    setImmediate().then(() => vanish(gone));
    throw new AgentError('step-failed', 'the connection has ended');
  };
  const ran = await run(t, { answer, restore: () => setImmediate().then(() => null) });
  takenBack(t, ran, checkpoint);
  t.match(ran.error, { kind: 'networkmanager-not-running' });
  t.match(ran.journal, { detail: gone.message, later: 'the connection has ended' });
});

t.test('a bus that is lost while a step waits for its answer ends the run', async (t) => {
  const lost = new AgentError('dbus-lost', 'the connection to D-Bus was lost');
  const answer: Played['answer'] = (call, { vanish }) => {
    if (call !== 'step a') return;
    vanish(lost);
    throw lost;
  };
  const ran = await run(t, { answer });
  takenBack(t, ran, checkpoint);
  t.match(ran.error, { kind: 'dbus-lost' });
});

t.test("the checkpoint's timer is extended while steps are run, but not from the commit on", async (t) => {
  const beats: Record<string, number> = {};
  const at: Played['at'] = (point, { beat }) => {
    beats[point] = beat();
  };
  const ran = await run(t, { names: ['a'], at });
  t.equal(beats['before checkpoint'], 0);
  for (const point of ['after checkpoint', 'before step 1', 'after step 1', 'before step 2', 'after step 2'])
    t.equal(beats[point], 1, point);
  for (const point of ['before step 3', 'after step 3', 'before journal-end']) t.equal(beats[point], 0, point);
  t.equal(ran.calls.filter((call) => call === push).length, 5);
  t.equal(ran.calls.filter((call) => call === 'probe').length > 1, true, 'the queries of ovs-vswitchd continue');

  const failed = await run(t, { names: ['a'], at, answer: refusing('step a') });
  t.strictSame(
    [beats['before step 1'], beats['before rollback']],
    [1, 0],
    'the checkpoint is not extended during the rollback',
  );
  takenBack(t, failed, checkpoint);
});

t.test('a failure to extend the timer does not end the run', async (t) => {
  const at: Played['at'] = async (point, { beat }) => {
    if (point === 'before step 1') beat();
    await setImmediate();
  };
  const ran = await run(t, { at, answer: refusing(push) });
  t.ok(ran.calls.includes(push));
  t.equal(ran.result?.state, 'committed');
});

t.test('at every position of a plan, each kind of failure restores the old state once', async (t) => {
  const names = ['1', '2', '3', '4', '5'];
  const positions = ['CheckpointCreate', ...names.map((name) => `step ${name}`), 'observe', 'CheckpointDestroy'];
  for (const [index, position] of positions.entries()) {
    for (const [how, answer] of Object.entries({
      'is refused': refusing(position),
      'is never answered': never(position),
      'is answered after the run was stopped': late(position),
    })) {
      const what = `${position} ${how}`;
      const ran = await run(t, { names, answer });
      t.strictSame(ran.calls, ['probe', ...positions.slice(0, index + 1)], `${what}: no call follows`);
      const answered = how.startsWith('is answered');
      // If the commit has succeeded, the run stays committed, even if the answer arrives late.
      if (answered && position === 'CheckpointDestroy') t.equal(ran.journal?.state, 'committed', what);
      else takenBack(t, ran, index === 0 && !answered ? null : checkpoint, what);
    }
  }
});

/** Returns a function that refuses one call. */
function refusing(call: string): NonNullable<Played['answer']> {
  return async (asked) => {
    if (asked === call) throw refused();
  };
}

/** Returns a function that delays the answer to one call until the run was stopped. */
function late(call: string): NonNullable<Played['answer']> {
  return async (asked, control) => {
    if (asked !== call) return;
    setImmediate().then(() => control.deadline.interrupt(stopped()));
    await untilStopped(control);
  };
}

/**
 * Returns a function by which one call gets no answer: after the run was stopped, the call fails as at the time limit
 * of the bus.
 */
function never(call: string): NonNullable<Played['answer']> {
  return async (asked, control) => {
    await late(call)(asked, control);
    if (asked === call) throw noAnswer;
  };
}
