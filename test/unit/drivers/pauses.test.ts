// Pauses between attempts.
import { getEventListeners } from 'node:events';
import t from 'tap';
import { createPauses } from '../../../agent/drivers/kubernetes/pauses.ts';
import { leftPerTry } from '../heap.ts';

const long = { firstPauseMs: 3_600_000, longestPauseMs: 3_600_000 };

t.test('one call ends all pauses, and each pause ends at its own signal', async (t) => {
  const pauses = createPauses(long);
  const stop = new AbortController();
  const other = new AbortController();
  const waits = [stop, stop, other].map(({ signal }) => pauses.series(signal).wait(null));
  pauses.wake();
  await Promise.all(waits);
  const stopped = pauses.series(stop.signal).wait(null);
  stop.abort();
  await stopped;
  await pauses.series(stop.signal).wait(null);
  t.equal(getEventListeners(other.signal, 'abort').length, 0);
});

t.test('pauses leave no listener in a signal that lasts as long as the process', async (t) => {
  const pauses = createPauses(long);
  const { signal } = new AbortController();
  const left = await leftPerTry(2_000, () => {
    const waited = pauses.series(signal).wait(null);
    pauses.wake();
    return waited;
  });
  t.ok(left < 100, `${left.toFixed(0)} bytes`);
});
