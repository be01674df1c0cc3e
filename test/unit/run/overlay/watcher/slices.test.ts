// Work on many objects is divided, so that the event loop can serve the CNI plug-in, the lock and the API in between.
import t from 'tap';
import { foundIn } from '../../../../../agent/overlay/rows/desired-rows.ts';
import { createWriter } from '../../../../../agent/run/overlay/watcher/writer.ts';
import { createSlices } from '../../../../../agent/slices.ts';
import { emptyNorthbound, modern, nodeOf } from '../../../overlay/cluster.ts';
import { factsFor, serviceObject } from '../../../workload/services/facts.ts';

t.test('only a slice whose time is used up lets the event loop run', async (t) => {
  let nowMs = 0;
  let ran = 0;
  const breathe = createSlices(() => nowMs);
  setImmediate(() => {
    ran += 1;
  });
  t.equal(breathe(), null);
  t.equal(ran, 0);
  nowMs = 20;
  await breathe();
  t.equal(ran, 1);
});

t.test('each turn of the event loop runs one slice of one of the jobs that wait', async (t) => {
  let nowMs = 0;
  const order: string[] = [];
  const works = ['a', 'b', 'c'].map((name) => ({ name, breathe: createSlices(() => nowMs) }));
  nowMs = 20;
  const done = Promise.all(works.map(({ name, breathe }) => breathe()?.then(() => order.push(name))));
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  for (let turns = 0; turns < 3; turns += 1) {
    await turn();
    order.push('turn');
  }
  await done;
  t.strictSame(order, ['a', 'turn', 'b', 'turn', 'c', 'turn']);
});

t.test('two thousand services are compared and written in slices', async (t) => {
  const objects = Array.from({ length: 2000 }, (_, index) => serviceObject(`s${index}`));
  const facts = factsFor(objects, [nodeOf(1)], modern);
  const { existing, shape } = foundIn(emptyNorthbound().rows());
  let transactions = 0;
  let turnsOfLoop = 0;
  let isOver = false;
  const tick = (): void => {
    turnsOfLoop += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await new Promise<void>((settled) => {
    const writer = createWriter(
      {
        existing,
        shape,
        isOwner: true,
        onChange: () => undefined,
        // This answer needs no turn of the event loop, so only the writer itself can let the loop run.
        transact: () => {
          transactions += 1;
          return Promise.resolve('written' as const);
        },
        onOwner: () => undefined,
        close: () => Promise.resolve(),
      } as never,
      () => facts,
      {
        written: () => undefined,
        refused: (_, error) => t.fail(error.message),
        stuck: (error) => t.fail(error.message),
        settled: () => settled(),
      },
    );
    writer.all();
  });
  isOver = true;
  t.ok(transactions > 10, 'the changes are divided into several transactions');
  t.ok(turnsOfLoop > 3, `the event loop ran ${turnsOfLoop} times meanwhile`);
});
