// Changes that arrive shortly after each other are written together, and a single change does not wait.
import t from 'tap';
import { createGathering, type Gathering } from '../../../../../agent/run/overlay/watcher/gathering.ts';
import { modern, nodeOf } from '../../../overlay/cluster.ts';
import { factsFor, serviceObject, sliceObject } from '../../../workload/services/facts.ts';
import { stopClock } from '../stopped-clock.ts';
import { paperWriter } from './paper-writer.ts';

/** Begins a pause; the returned function returns true after its end. */
function pauseOf(gathering: Gathering): () => boolean {
  let isOver = false;
  void gathering.rest().then(() => {
    isOver = true;
  });
  return () => isOver;
}

t.test('a pause in which nothing arrives is short', async (t) => {
  const pass = stopClock(t);
  const isOver = pauseOf(createGathering(() => false));
  await pass(19);
  t.notOk(isOver());
  await pass(1);
  t.ok(isOver());
});

t.test('a pause in which changes arrive is longer, and has a limit', async (t) => {
  const pass = stopClock(t);
  const gathering = createGathering(() => false);
  const isOver = pauseOf(gathering);
  for (let ms = 0; ms < 240; ms += 10) {
    gathering.arrived();
    await pass(10);
    t.notOk(isOver(), `${ms} ms`);
  }
  gathering.arrived();
  await pass(10);
  t.ok(isOver());
});

t.test('a pause ends when enough has arrived, and does not begin if enough waits', async (t) => {
  const pass = stopClock(t);
  let isEnough = false;
  const gathering = createGathering(() => isEnough);
  const isOver = pauseOf(gathering);
  gathering.arrived();
  await pass(0);
  t.notOk(isOver());
  isEnough = true;
  gathering.arrived();
  await pass(0);
  t.ok(isOver());
  const next = pauseOf(gathering);
  await pass(0);
  t.ok(next());
});

t.test('a pause ends with the writer, and no other begins', async (t) => {
  const pass = stopClock(t);
  const gathering = createGathering(() => false);
  const isOver = pauseOf(gathering);
  gathering.close();
  await pass(0);
  t.ok(isOver());
  const next = pauseOf(gathering);
  await pass(0);
  t.ok(next());
});

t.test('two hundred services that arrive one after the other become few transactions', async (t) => {
  const pass = stopClock(t);
  const objects = Array.from({ length: 200 }, (_, index) => [
    serviceObject(`s${index}`),
    sliceObject(`s${index}`, []),
  ]).flat();
  const facts = factsFor(objects, [nodeOf(1)], modern);
  const services = [...facts.workload.services.values()];
  const written: number[] = [];
  const writer = paperWriter(() => facts, {
    written: (rows) => void written.push(rows),
    refused: (_, error) => t.fail(error.message),
    stuck: (error) => t.fail(error.message),
    settled: () => undefined,
  });
  for (const now of services) {
    writer.changed([{ kind: 'Service', now } as never]);
    if (now === services[0]) {
      await pass(0);
      t.equal(written.length, 1, 'the first service is written at once');
    }
    await pass(7);
  }
  for (let pauses = 0; pauses < 10; pauses += 1) await pass(50);
  const rows = written.reduce((sum, one) => sum + one, 0);
  t.ok(rows >= 200, `${rows} rows: the load balancers, and their group once in each transaction`);
  t.ok(written.length < 10, `${written.length} transactions`);
  await writer.close();
});
