import t from 'tap';
import { createWork, retryAfterMs, type Scope } from '../../../../agent/run/overlay/daemon/work.ts';

/** A piece of work that ends when it is told to. */
function played() {
  const begun: Scope[] = [];
  let waiting: ((scope: Scope) => void)[] = [];
  let end: (outcome: boolean | Error) => void = () => undefined;
  const work = createWork((scope) => {
    begun.push(scope);
    for (const told of waiting.splice(0)) told(scope);
    return new Promise((resolve, reject) => {
      end = (outcome) => (typeof outcome === 'boolean' ? resolve(outcome) : reject(outcome));
    });
  });
  const next = (): Promise<Scope> =>
    new Promise((resolve) => {
      waiting = [...waiting, resolve];
    });
  return { work, begun, next, end: (outcome: boolean | Error) => end(outcome) };
}

t.test('one at a time, and one more for all that comes meanwhile', async (t) => {
  const { work, begun, next, end } = played();
  const first = next();
  for (const scope of ['look', 'boot', 'look'] as const) work.ask(scope);
  t.equal(await first, 'boot', 'several events are one, and the largest of them');
  const second = next();
  for (const scope of ['look', 'all', 'look'] as const) work.ask(scope);
  t.strictSame(begun, ['boot'], 'nothing runs beside it');
  end(false);
  t.equal(await second, 'all');
  const closed = work.close();
  work.ask('look');
  end(false);
  await closed;
  t.strictSame(begun, ['boot', 'all'], 'what was closed does nothing any more');
});

t.test('what has failed is tried again by itself, and at the next event', async (t) => {
  const { work, next, end } = played();
  const first = next();
  work.ask('all');
  await first;
  const again = next();
  end(new Error('no'));
  t.equal(await again, 'all', 'by itself, and as it was asked for');
  const atEvent = next();
  end(new Error('no'));
  work.ask('look');
  t.equal(await atEvent, 'all', 'an event that asks for less makes it no less');
  const closed = work.close();
  end(true);
  await closed;
});

t.test('the wait grows to a minute', (t) => {
  t.strictSame([1, 2, 3, 6, 7, 50].map(retryAfterMs), [1000, 2000, 4000, 32_000, 60_000, 60_000]);
  t.end();
});
