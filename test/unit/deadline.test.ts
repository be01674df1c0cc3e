import t, { type Test } from 'tap';
import { type Deadline, startDeadline, throwIfStopped, waitFor } from '../../agent/deadline.ts';
import { AgentError, type ErrorKind } from '../../agent/errors.ts';
import { failure } from './failure.ts';

const late = () => new AgentError('activation-timeout', 'too late');

function open(t: Test, limitMs = 5_000): Deadline {
  const deadline = startDeadline(limitMs);
  t.teardown(() => deadline.clear());
  return deadline;
}

t.test('a deadline expires', async (t) => {
  const deadline = open(t, 30);
  throwIfStopped(deadline);
  await t.rejects(
    waitFor(deadline, 5_000, late, () => () => undefined),
    failure('deadline-exceeded', { facts: { limitMs: 30 } }),
  );
  t.equal(deadline.remainingMs(), 0);
  t.throws(() => throwIfStopped(deadline), failure('deadline-exceeded'));
});

t.test('a deadline within another ends with it, and is never longer', async (t) => {
  const whole = open(t, 60_000);
  t.ok(whole.remainingMs() > 0);
  const part = startDeadline(3_600_000, whole);
  t.teardown(() => part.clear());
  t.ok(part.remainingMs() <= 60_000);
  const wait = waitFor(part, 5_000, late, () => () => undefined);
  whole.interrupt(new AgentError('interrupted', 'the whole of it'));
  await t.rejects(wait, failure('interrupted', { message: /^the whole of it$/ }));
  const after = startDeadline(60_000, whole);
  t.teardown(() => after.clear());
  t.throws(
    () => throwIfStopped(after),
    failure('interrupted'),
    'a deadline that begins after the end of the outer one has also passed',
  );
});

t.test('the end of an inner deadline does not end the outer one', async (t) => {
  const whole = open(t, 1_000);
  const part = startDeadline(60_000, whole);
  part.interrupt(new AgentError('interrupted', 'a part of it'));
  part.clear();
  throwIfStopped(whole);
});

t.test('a wait and its subscription end with the event', async (t) => {
  const deadline = open(t);
  let stopped = 0;
  const wait = waitFor<number>(deadline, 1_000, late, (resolve) => {
    const timer = setTimeout(() => resolve(7), 5);
    return () => {
      clearTimeout(timer);
      stopped += 1;
    };
  });
  t.equal(await wait, 7);
  t.equal(stopped, 1);
  deadline.interrupt(new AgentError('interrupted', 'afterwards'));
  t.equal(stopped, 1, 'an interrupt after the end does nothing');
});

t.test('a wait that fails, is too late or is interrupted ends its subscription', async (t) => {
  const table: readonly (readonly [
    name: string,
    kind: ErrorKind,
    limitMs: number,
    event: (deadline: Deadline, reject: (error: Error) => void) => void,
  ])[] = [
    [
      'fails',
      'step-failed',
      1_000,
      (_deadline, reject) => setTimeout(() => reject(new AgentError('step-failed', 'no')), 5),
    ],
    ['too late', 'activation-timeout', 10, () => undefined],
    [
      'interrupted',
      'interrupted',
      1_000,
      (deadline) => setTimeout(() => deadline.interrupt(new AgentError('interrupted', 'SIGTERM')), 5),
    ],
  ];
  for (const [name, kind, limitMs, event] of table) {
    const deadline = open(t);
    let stopped = 0;
    const wait = waitFor<void>(deadline, limitMs, late, (_resolve, reject) => {
      event(deadline, reject);
      return () => {
        stopped += 1;
      };
    });
    await t.rejects(wait, failure(kind), name);
    t.equal(stopped, 1, `${name}: the subscription ended`);
  }
});

t.test('a wait for an event that happens at once also ends its subscription', async (t) => {
  let stopped = 0;
  const start = (resolve: (value: string) => void) => {
    resolve('at once');
    return () => {
      stopped += 1;
    };
  };
  t.equal(await waitFor(open(t), 1_000, late, start), 'at once');
  t.equal(stopped, 1);
});

t.test('a wait after the interrupt does not start', async (t) => {
  const deadline = open(t);
  deadline.interrupt(new AgentError('interrupted', 'SIGTERM'));
  deadline.interrupt(new AgentError('dbus-lost', 'a second reason changes nothing'));
  const wait = waitFor(deadline, 1_000, late, () => {
    t.fail('the wait started');
    return () => undefined;
  });
  await t.rejects(wait, failure('interrupted'));
});
