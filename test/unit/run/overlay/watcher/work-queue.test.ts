import t from 'tap';
import { createWorkQueue, type WorkItem, type WorkQueue } from '../../../../../agent/run/overlay/watcher/work-queue.ts';

const namesOf = (errands: readonly WorkItem[]): readonly string[] => errands.map(({ of }) => of);
const alone = (unit: string): string[] => [unit];

/**
 * Processes all due object keys with a database that refuses every batch with one of the given keys; returns the
 * transactions and the reported keys.
 */
function drain(errands: WorkQueue, bad: readonly string[], nowMs: number) {
  const written: (readonly string[])[] = [];
  const reported: string[] = [];
  let tries = 0;
  for (;;) {
    const batch = errands.take(nowMs);
    if (batch.length === 0) return { written, reported, tries };
    tries += 1;
    const units = new Set(batch.flatMap((errand) => [...errand.objectKeys]));
    if (![...units].some((unit) => bad.includes(unit))) {
      errands.done(batch);
      written.push([...units]);
    } else {
      const refused = errands.refuse(batch, nowMs);
      if (refused !== null) reported.push(`${refused.objectKey} ${refused.failures}`);
    }
  }
}

t.test('changes during a transaction become one transaction of limited size, in order', async (t) => {
  const errands = createWorkQueue(alone);
  t.strictSame([errands.take(0), errands.dueMs()], [[], null]);
  for (const name of ['pod:a', 'pod:b', 'pod:a']) errands.add(name, [name, 'namespace:default']);
  errands.add('pod:a', ['policy:p']);
  t.equal(errands.dueMs(), 0);
  const batch = errands.take(0);
  t.strictSame(namesOf(batch), ['pod:a', 'pod:b']);
  t.strictSame(
    [...(batch[0]?.objectKeys ?? [])],
    ['pod:a', 'namespace:default', 'policy:p'],
    'a transaction contains all changes of an object',
  );
  errands.add('pod:a', ['pod:a']);
  errands.done(batch);
  t.strictSame(namesOf(errands.take(0)), ['pod:a'], 'a change during the write is planned again');
  for (let index = 0; index < 500; index += 1) errands.add(`pod:${index}`, [`pod:${index}`]);
  t.strictSame(
    [errands.take(0).length, errands.take(0).length, errands.take(0).length, errands.take(0).length],
    [100, 100, 100, 100],
  );
});

t.test('changes of a transaction without a result are written again first', async (t) => {
  const errands = createWorkQueue(alone);
  errands.add('pod:a', ['pod:a']);
  const batch = errands.take(0);
  errands.add('pod:b', ['pod:b']);
  errands.putBack(batch);
  t.strictSame([namesOf(errands.take(0)), namesOf(errands.take(0))], [['pod:a'], ['pod:b']]);
});

t.test('a refused change is found by halving, and only it waits', async (t) => {
  const errands = createWorkQueue(alone);
  const names = Array.from({ length: 100 }, (_, index) => `pod:${index}`);
  for (const name of names) errands.add(name, [name, 'namespace:default']);
  const { written, reported, tries } = drain(errands, ['pod:42'], 1000);
  t.strictSame(reported, ['pod:42 1']);
  t.strictSame(
    new Set(written.flat()),
    new Set([...names.filter((name) => name !== 'pod:42'), 'namespace:default']),
    'all others are written',
  );
  t.ok(tries < 20, 'the refused change is found by halving, in fewer than 20 attempts');
  t.strictSame([errands.refused, errands.dueMs()], [new Set(['pod:42']), 2000]);

  errands.add('pod:7', ['pod:7', 'pod:42']);
  t.strictSame(
    drain(errands, ['pod:42'], 1500),
    { written: [['pod:7']], reported: [], tries: 1 },
    'the failure does not affect other objects',
  );
  t.strictSame(drain(errands, ['pod:42'], 2000).reported, ['pod:42 2'], 'the refused object is tried again');
  t.equal(errands.dueMs(), 4000, 'the pause before each further attempt is longer');
  errands.add('pod:42', ['pod:42']);
  t.strictSame(
    drain(errands, [], 2001),
    { written: [['pod:42']], reported: [], tries: 1 },
    'a change of the object causes an attempt at once',
  );
  t.strictSame([errands.refused, errands.dueMs()], [new Set(), null]);
});

t.test('a refused policy does not prevent the rows of its pods', async (t) => {
  const errands = createWorkQueue((unit) => [unit, 'policy:p']);
  errands.add('pod:a', ['pod:a', 'namespace:default', 'policy:p']);
  errands.add('pod:b', ['pod:b', 'namespace:default', 'policy:p']);
  const { written, reported } = drain(errands, ['policy:p'], 0);
  t.strictSame(new Set(written.flat()), new Set(['pod:a', 'pod:b', 'namespace:default']));
  t.strictSame(reported, ['policy:p 1'], 'the refusal is reported once');
});

t.test('a pod that is tried again is planned together with its groups', async (t) => {
  const errands = createWorkQueue((unit) => [unit, 'policy:p']);
  errands.add('pod:a', ['pod:a', 'policy:p']);
  drain(errands, ['pod:a'], 0);
  t.strictSame(drain(errands, [], 1000).written, [['pod:a', 'policy:p']]);
});

t.test('several refused changes in one transaction', async (t) => {
  const errands = createWorkQueue(alone);
  for (let index = 0; index < 300; index += 1) errands.add(`pod:${index}`, [`pod:${index}`]);
  const bad = ['pod:0', 'pod:150', 'pod:151', 'pod:299'];
  const { written, reported } = drain(errands, bad, 0);
  t.strictSame(new Set(reported), new Set(bad.map((name) => `${name} 1`)));
  t.equal(new Set(written.flat()).size, 296);
});

t.test('work that is held back becomes due at its time', async (t) => {
  const errands = createWorkQueue(alone);
  errands.add('service:a', ['service:a'], 200);
  t.strictSame([errands.take(199), errands.dueMs()], [[], 200]);
  errands.add('service:a', ['service:a'], 500);
  t.equal(errands.dueMs(), 200, 'a further change does not extend the wait');
  errands.add('pod:b', ['pod:b']);
  t.equal(errands.dueMs(), 0);
  t.strictSame(namesOf(errands.take(100)), ['pod:b'], 'other work does not wait');
  t.strictSame(namesOf(errands.take(200)), ['service:a']);
  t.strictSame([errands.take(1000), errands.dueMs()], [[], null]);
});

t.test('work that is held back is released by work for the same object', async (t) => {
  const errands = createWorkQueue(alone);
  errands.add('service:a', ['service:a', 'service:other'], 200);
  errands.add('service:b', ['service:b'], 200);
  errands.add('slice:a-1', ['service:a']);
  t.strictSame(namesOf(errands.take(0)), ['service:a', 'slice:a-1'], 'both are in one transaction');
  errands.add('service:b', ['service:b']);
  t.strictSame(namesOf(errands.take(0)), ['service:b'], 'a deletion, or a comparison of all objects, does not wait');
  errands.add('service:c', ['service:c']);
  errands.add('service:c', ['service:c'], 200);
  t.strictSame(namesOf(errands.take(0)), ['service:c'], 'work that is due stays due');
});

t.test('work that is held back does not fill a transaction', async (t) => {
  const errands = createWorkQueue(alone);
  for (let index = 0; index < 150; index += 1) errands.add(`service:${index}`, [`service:${index}`], 200);
  t.notOk(errands.fills(99));
  t.ok(errands.fills(100));
  for (let index = 0; index < 100; index += 1) errands.add(`slice:${index}`, [`service:${index}`]);
  t.ok(errands.fills(0));
  t.equal(new Set(errands.take(0).flatMap(({ objectKeys }) => [...objectKeys])).size, 100);
});
