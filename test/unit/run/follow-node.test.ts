// A burst of events of a node causes a call at its start and one at its end, never two at the same time.
import { EventEmitter, once } from 'node:events';
import t from 'tap';
import { atMostOnce } from '../../../agent/run/follow-node.ts';

t.test('a burst of events causes one call at its begin and one at its end', async (t) => {
  const events = new EventEmitter();
  let calls = 0;
  let finish = (): void => undefined;
  const work = (): Promise<void> => {
    calls += 1;
    events.emit('called');
    return new Promise((resolve) => {
      finish = resolve;
    });
  };
  const follower = atMostOnce(1, work, (error) => t.fail(String(error)));
  for (let count = 0; count < 5; count += 1) follower.report();
  t.equal(calls, 1, 'the first event is answered at once, the rest waits for the work');
  const second = once(events, 'called');
  finish();
  await second;
  t.equal(calls, 2, 'four events cause one call at their start and one at their end');
  follower.end();
  follower.report();
  finish();
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(calls, 2, 'no call follows the end');
});

t.test('a failure of the work is reported', async (t) => {
  const failed = await new Promise((resolve) => {
    atMostOnce(1, async () => Promise.reject(new Error('no bus')), resolve).report();
  });
  t.match(failed, { message: 'no bus' });
});
