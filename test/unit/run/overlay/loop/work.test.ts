import t from 'tap';
import {
  firstPace,
  type Outcome,
  type Pace,
  paceAfter,
  pauseMs,
  retryAfterMs,
} from '../../../../../agent/run/overlay/loop/pace.ts';
import { createWork, type Scope } from '../../../../../agent/run/overlay/loop/work.ts';

/** Returns a job whose end the test controls. */
function played() {
  const begun: Scope[] = [];
  let waiting: ((scope: Scope) => void)[] = [];
  let end: (outcome: Outcome | Error) => void = () => undefined;
  const work = createWork((scope) => {
    begun.push(scope);
    for (const reported of waiting.splice(0)) reported(scope);
    return new Promise((resolve, reject) => {
      end = (outcome) => (typeof outcome === 'string' ? resolve(outcome) : reject(outcome));
    });
  });
  const next = (): Promise<Scope> =>
    new Promise((resolve) => {
      waiting = [...waiting, resolve];
    });
  return { work, begun, next, end: (outcome: Outcome | Error) => end(outcome) };
}

t.test('one job runs at a time, and events during a run cause one more', async (t) => {
  const { work, begun, next, end } = played();
  const first = next();
  for (const scope of ['look', 'boot', 'look'] as const) work.ask(scope);
  t.equal(await first, 'boot', 'several events cause one run with the largest extent');
  const second = next();
  for (const scope of ['look', 'all', 'look'] as const) work.ask(scope);
  t.strictSame(begun, ['boot'], 'no other work begins while the first runs');
  end('nothing');
  t.equal(await second, 'all');
  const closed = work.close();
  work.ask('look');
  end('nothing');
  await closed;
  t.strictSame(begun, ['boot', 'all'], 'work that was requested after the close does not begin');
});

t.test('failed work is repeated by itself, and at the next event', async (t) => {
  const { work, next, end } = played();
  const first = next();
  work.ask('all');
  await first;
  const again = next();
  end(new Error('no'));
  t.equal(await again, 'all', 'failed work is repeated with the same extent');
  const atEvent = next();
  end(new Error('no'));
  work.ask('look');
  t.equal(await atEvent, 'all', 'an event that requests less does not reduce the extent');
  const closed = work.close();
  end('corrected');
  await closed;
});

t.test('the pause after failures grows to a minute', (t) => {
  t.strictSame([1, 2, 3, 6, 7, 50].map(retryAfterMs), [1000, 2000, 4000, 32_000, 60_000, 60_000]);
  t.end();
});

/** Returns the pace after runs of 100 ms with these outcomes, one run every second. */
function paceAfterAll(outcomes: readonly Outcome[]): { pace: Pace; nowMs: number } {
  let [pace, nowMs] = [firstPace, 1_000_000];
  for (const outcome of outcomes) {
    nowMs += 1000;
    pace = paceAfter(pace, outcome, nowMs - 100, nowMs);
  }
  return { pace, nowMs };
}

const many = (outcome: Outcome, count: number): Outcome[] => Array.from({ length: count }, () => outcome);

t.test('the pause grows with corrections in a row, and ends after a quiet minute', async (t) => {
  const pauses = [5, 6, 7, 8].map((count) => {
    const { pace, nowMs } = paceAfterAll(many('corrected', count));
    return pauseMs(pace, nowMs);
  });
  t.strictSame(pauses, [100, 1000, 2000, 4000]);
  const { pace, nowMs } = paceAfterAll(many('corrected', 8));
  t.equal(pauseMs(pace, nowMs + 3000), 1000, 'elapsed time shortens the pause');
  const later = nowMs + 61_000;
  t.equal(pauseMs(paceAfter(pace, 'corrected', later - 100, later), later), 100);
});

t.test('services that change all the time are followed without growing pauses', async (t) => {
  for (const count of [1, 6, 200]) {
    const { pace, nowMs } = paceAfterAll(many('followed', count));
    t.equal(pauseMs(pace, nowMs), 900, `after ${count} changes the pause is nine times the run`);
  }
  const slow = paceAfter(firstPace, 'followed', 0, 60_000);
  t.equal(pauseMs(slow, 60_000), 5000, 'a pause is at most 5 s long');
  const between = paceAfterAll([...many('corrected', 6), 'followed', 'nothing', 'corrected']);
  t.equal(between.pace.corrections, 7, 'changes of services do not end a row of corrections');
});
