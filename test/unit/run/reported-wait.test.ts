// Long waits on a terminal print a sentence with the awaited event; other outputs print nothing.
import { mock } from 'node:test';
import t from 'tap';
import { onTerminal, reportedWait } from '../../../agent/run/reported-wait.ts';

const nothing = (): void => undefined;

/** Starts a wait that ends when the test calls `end`. */
function started() {
  const said: string[] = [];
  let end = nothing;
  const wait = reportedWait(
    'waiting up to 30 s until it answers',
    (text) => said.push(text),
    () =>
      new Promise<string>((resolve) => {
        end = () => resolve('it answers');
      }),
  );
  return { said, wait, end: () => end() };
}

t.test('a wait is reported once, after two seconds', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const { said, wait, end } = started();
  mock.timers.tick(1_999);
  t.strictSame(said, []);
  mock.timers.tick(1);
  t.strictSame(said, ['waiting up to 30 s until it answers']);
  mock.timers.tick(60_000);
  end();
  t.equal(await wait, 'it answers');
  t.equal(said.length, 1);
});

t.test('a short wait is not reported', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const { said, wait, end } = started();
  end();
  await wait;
  mock.timers.tick(60_000);
  t.strictSame(said, []);
});

t.test('a wait that fails also ends the report', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const said: string[] = [];
  const failing = reportedWait(
    'it waits',
    (text) => said.push(text),
    () => Promise.reject(new Error('refused')),
  );
  await t.rejects(failing, { message: 'refused' });
  mock.timers.tick(60_000);
  t.strictSame(said, []);
});

t.test('only a terminal gets the report', (t) => {
  const said: string[] = [];
  const say = (text: string): void => {
    said.push(text);
  };
  onTerminal(say, true)('seen');
  onTerminal(say, false)('not seen');
  onTerminal(undefined, true)('not seen either');
  t.strictSame(said, ['seen']);
  t.end();
});
