// Work of the daemon that fails for an external reason, such as a missing right or a daemon that does not answer: no
// event reports the end of the reason, so the daemon repeats the work by itself, after any number of failures.
import t from 'tap';
import type { KubernetesApi } from '../../../../agent/drivers/kubernetes/api.ts';
import { AgentError } from '../../../../agent/errors.ts';
import type { WatcherState } from '../../../../agent/model/overlay-daemon.ts';
import { createAnnouncements } from '../../../../agent/run/overlay/daemon/announcements.ts';
import { createWithheld } from '../../../../agent/run/overlay/daemon/withheld.ts';
import { createWork } from '../../../../agent/run/overlay/loop/work.ts';
import { startBoundedWatcher } from '../../../../agent/run/overlay/watcher/bounded.ts';
import { createNodeAnnotations } from '../../../../agent/run/overlay/watcher/node-annotations.ts';
import { createPodAnnotations } from '../../../../agent/run/overlay/watcher/pod-annotations.ts';
import { createRefusals } from '../../../../agent/run/overlay/watcher/refusals.ts';
import { createStoredApi } from '../../../overlay/stored-api.ts';
import { modern, nodeOf } from '../../overlay/cluster.ts';
import { stopClock } from './stopped-clock.ts';

const minuteMs = 60_000;
/** Longest pause of any work, that of a watcher whose objects needed too much memory. */
const longestMs = 10 * minuteMs;
const fails = (): Promise<never> => Promise.reject(new AgentError('step-failed', 'not now'));

interface Tried {
  /** Returns the number of attempts so far. */
  readonly count: () => number;
  readonly end: () => unknown;
}

const pod = { namespace: 'web', name: 'a', uid: 'a', annotations: {} } as never;
const kinds: Readonly<Record<string, (attempt: () => Promise<never>) => () => unknown>> = {
  'the configuration of the node': (attempt) => {
    const work = createWork(attempt);
    work.ask('all');
    return work.close;
  },
  'the announcement of an address': (attempt) => {
    const announcements = createAnnouncements(attempt);
    announcements.know(['192.0.2.200']);
    return announcements.close;
  },
  'the flows of withheld answers': (attempt) => {
    const withheld = createWithheld(attempt);
    withheld.know(['192.0.2.200']);
    return withheld.close;
  },
  'the annotation of a pod': (attempt) => {
    const assignment = { pod, addresses: ['10.42.1.9/24'], node: nodeOf(1), layout: modern };
    const annotations = createPodAnnotations(
      { annotate: attempt },
      () => assignment,
      () => undefined,
    );
    annotations.annotate('web/a');
    return annotations.close;
  },
  'the annotation of a Node': (attempt) => {
    const nodes = new Map([['n1', { name: 'n1', uid: 'a' }]]);
    const annotations = createNodeAnnotations({ annotateNode: attempt }, nodes, () => undefined);
    annotations.settle([nodeOf(1)]);
    return annotations.close;
  },
};

function startTrying(start: (attempt: () => Promise<never>) => () => unknown): Tried {
  let count = 0;
  const end = start(() => {
    count += 1;
    return fails();
  });
  return { count: () => count, end };
}

for (const [name, start] of Object.entries(kinds))
  t.test(`${name} is tried again within a minute`, async (t) => {
    const pass = stopClock(t);
    const tried = startTrying(start);
    await pass(1_000);
    for (let failures = 1; failures <= 12; failures += 1) {
      const before = tried.count();
      t.ok(before > 0);
      await pass(minuteMs);
      if (tried.count() === before) t.fail(`not tried again after ${before} failures`);
    }
    await tried.end();
    const last = tried.count();
    await pass(longestMs);
    t.equal(tried.count(), last, 'no attempt follows the end');
  });

t.test('an object that the database refuses is tried again within a minute', (t) => {
  const refusals = createRefusals();
  for (let [failures, nowMs] = [1, 0]; failures <= 12; failures += 1) {
    refusals.refuse('pod web/a', nowMs);
    nowMs = refusals.dueMs() ?? Number.POSITIVE_INFINITY;
    t.ok(nowMs <= failures * minuteMs, `after ${failures} failures`);
    t.equal(refusals.take(nowMs), 'pod web/a');
  }
  t.end();
});

/**
 * Starts a bounded watcher whose objects use too much memory at the test's request; counts the collections that it
 * follows.
 */
function startBounded() {
  const api = createStoredApi();
  let followed = 0;
  const counting: KubernetesApi = {
    ...api.open(),
    follow: (collection, follower) => {
      followed += 1;
      const stop = api.open().follow(collection, follower);
      return () => {
        followed -= 1;
        stop();
      };
    },
  };
  const states: WatcherState[] = [];
  let use: (part: number) => void = () => undefined;
  const watcher = startBoundedWatcher({
    api: counting,
    remote: 'unix:/nonexistent/nb.sock',
    teller: { say: () => undefined, fail: () => undefined },
    note: (state) => states.push(state),
    followHeap: (listener) => {
      use = (part) => listener({ usedBytes: part, limitBytes: 100 });
      return () => undefined;
    },
  });
  return { watcher, states, followed: () => followed, use: (part: number) => use(part) };
}

t.test('objects that need too much memory are read again after ten minutes, each time', async (t) => {
  const pass = stopClock(t);
  const { watcher, states, followed, use } = startBounded();
  const all = followed();
  t.ok(all > 1);
  use(75);
  t.equal(followed(), all, 'the objects are followed up to three quarters of the memory');
  for (let rounds = 1; rounds <= 3; rounds += 1) {
    use(76);
    t.equal(followed(), 0, 'no object is followed during the pause');
    t.match(states.at(-1), { role: 'waiting', failure: { message: /76|need more memory/ } });
    await pass(longestMs - 1);
    t.equal(followed(), 0);
    await pass(1);
    t.equal(followed(), all, `all objects are followed after the pause, round ${rounds}`);
  }
  use(76);
  await watcher.close();
  await pass(longestMs);
  t.equal(followed(), 0, 'a watcher that was closed in its pause does not start again');
});
