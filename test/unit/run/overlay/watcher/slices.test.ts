// Work on many objects is divided, so that the event loop can serve the CNI plug-in, the lock and the API in between.
import t from 'tap';
import { createSlices } from '../../../../../agent/slices.ts';
import { modern, nodeOf } from '../../../overlay/cluster.ts';
import { factsFor, serviceObject } from '../../../workload/services/facts.ts';
import { paperWriter } from './paper-writer.ts';

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
  let transactions = 0;
  let turnsOfLoop = 0;
  let isOver = false;
  const tick = (): void => {
    turnsOfLoop += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await new Promise<void>((settled) => {
    const reports = {
      written: () => undefined,
      refused: (_: unknown, error: Error) => t.fail(error.message),
      stuck: (error: Error) => t.fail(error.message),
      settled: () => settled(),
    };
    const count = (): void => {
      transactions += 1;
    };
    paperWriter(() => facts, reports, count).all();
  });
  isOver = true;
  t.ok(transactions > 10, 'the changes are divided into several transactions');
  t.ok(turnsOfLoop > 3, `the event loop ran ${turnsOfLoop} times meanwhile`);
});
