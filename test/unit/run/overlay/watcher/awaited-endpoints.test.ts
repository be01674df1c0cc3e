// The rows of a new service wait for its first EndpointSlice, so that they are written once.
import { setImmediate as nextTurn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { ObjectChange } from '../../../../../agent/model/workload.ts';
import { foundIn } from '../../../../../agent/overlay/rows/desired-rows.ts';
import { awaitsEndpoints } from '../../../../../agent/run/overlay/watcher/awaited-endpoints.ts';
import type { WorkloadFacts } from '../../../../../agent/workload/part.ts';
import { emptyNorthbound, modern, nodeOf } from '../../../overlay/cluster.ts';
import { type ApiObject, applyAll, factsFor, serviceObject, sliceObject } from '../../../workload/services/facts.ts';
import { paperWriter } from './paper-writer.ts';

const nodes = [nodeOf(1)];
const factsOf = (...objects: readonly ApiObject[]): WorkloadFacts => factsFor(objects, nodes, modern);
const nothing = foundIn(emptyNorthbound().rows()).existing;

/** Returns the change that creates the service `web`, or the one that deletes it. */
function changeOf({ workload }: WorkloadFacts, isDeletion = false): ObjectChange {
  const now = workload.services.get('default/web');
  if (now === undefined) throw new Error('the service is missing');
  return isDeletion ? { kind: 'Service', before: now } : { kind: 'Service', now };
}

t.test('a service without rows and without an EndpointSlice', async (t) => {
  const web = serviceObject('web');
  const alone = factsOf(web);
  t.equal(awaitsEndpoints(changeOf(alone), alone, nothing), true);
  t.equal(awaitsEndpoints(changeOf(alone, true), alone, nothing), false, 'a deleted service');
  const withSlice = factsOf(web, sliceObject('web', []));
  t.equal(awaitsEndpoints(changeOf(withSlice), withSlice, nothing), false, 'an EndpointSlice without endpoints');
  const other = factsOf(web, sliceObject('other', []));
  t.equal(awaitsEndpoints(changeOf(other), other, nothing), true, 'an EndpointSlice of another service');
  const headless = factsOf(serviceObject('web', { clusterIPs: ['None'] }));
  t.equal(awaitsEndpoints(changeOf(headless), headless, nothing), false, 'a headless service has no rows');
  const database = emptyNorthbound();
  applyAll(alone, database);
  t.equal(awaitsEndpoints(changeOf(alone), alone, foundIn(database.rows()).existing), false, 'a service with rows');
});

/** Starts a writer; `written` has the number of rows of each transaction, and `next` waits for a transaction. */
function start(t: Test) {
  let now = factsOf();
  const written: number[] = [];
  let wake = (): void => undefined;
  const writer = paperWriter(() => now, {
    written: (rows) => {
      written.push(rows);
      wake();
    },
    refused: (_, error) => t.fail(error.message),
    stuck: (error) => t.fail(error.message),
    settled: () => undefined,
  });
  t.teardown(() => writer.close());
  return {
    written,
    change: async (facts: WorkloadFacts, ...changes: readonly ObjectChange[]): Promise<void> => {
      now = facts;
      writer.changed(changes);
      for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    },
    all: writer.all,
    next: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      }),
  };
}

t.test('the rows are written with the first EndpointSlice, at once', async (t) => {
  const { written, change } = start(t);
  const web = factsOf(serviceObject('web'));
  await change(web, changeOf(web));
  t.strictSame(written, []);
  const whole = factsOf(serviceObject('web'), sliceObject('web', [['10.42.1.3', 'n1']]));
  const [slice] = whole.workload.slices.values();
  await change(whole, { kind: 'EndpointSlice', now: slice as never });
  t.equal(written.length, 1);
});

t.test('a service that is deleted meanwhile causes no transaction', async (t) => {
  const { written, change } = start(t);
  const web = factsOf(serviceObject('web'));
  await change(web, changeOf(web));
  await change(factsOf(), changeOf(web, true));
  t.strictSame(written, []);
});

t.test('without an EndpointSlice, the rows are written after a limit', async (t) => {
  const { written, change, next } = start(t);
  const web = factsOf(serviceObject('web'));
  const wrote = next();
  await change(web, changeOf(web));
  t.strictSame(written, []);
  await wrote;
  t.equal(written.length, 1);
});

t.test('a comparison of all objects, as at the start of the daemon, does not wait', async (t) => {
  const { written, change, all } = start(t);
  const web = factsOf(serviceObject('web'));
  await change(web, changeOf(web));
  all();
  await change(web);
  t.equal(written.length, 1);
});
