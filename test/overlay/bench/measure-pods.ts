// B1: several clients create pods at the same time; a pod is served when it has its row and its annotation.
import { setTimeout as pause } from 'node:timers/promises';
import type { Contestant, Running } from './contestants.ts';
import { namespace, nodeNames, type Place } from './place.ts';
import { usageOf } from './process-usage.ts';
import { quantile } from './quantile.ts';
import { endOf, writtenSince } from './written.ts';

/** Limit for the next served pod. */
const stillLimitMs = 60_000;

interface Served {
  askedMs: number;
  rowMs?: number;
  annotatedMs?: number;
}

export interface Pods {
  /** Creates a pod on a node; resolves when the API server has stored it. */
  make(name: string, node: string, where?: string): Promise<void>;
  /** Resolves when all created pods are served; rejects if no pod is served for a minute. */
  served(): Promise<void>;
  /** Times of the pods by `namespace_name`. */
  readonly all: ReadonlyMap<string, Served>;
}

/** Follows the API and the database; nothing is polled. */
export async function followPods({ api, northbound }: Place, contestant: Contestant): Promise<Pods> {
  const all = new Map<string, Served>();
  let changed = (): void => {};
  const isServed = (one: Served): boolean =>
    one.annotatedMs !== undefined && (one.rowMs !== undefined || !contestant.hasRows);
  const note = (key: string, what: 'rowMs' | 'annotatedMs'): void => {
    const one = all.get(key);
    if (one === undefined || one[what] !== undefined) return;
    one[what] = performance.now();
    if (isServed(one)) changed();
  };
  northbound.onChange((changes) => {
    for (const { table, now } of changes) if (table === 'Logical_Switch_Port') note(String(now?.name), 'rowMs');
  });
  await api.watch('/api/v1/pods', ({ object: { metadata } }) => {
    if (metadata.annotations?.[contestant.annotation] !== undefined)
      note(`${metadata.namespace}_${metadata.name}`, 'annotatedMs');
  });
  return {
    all,
    make: async (name, node, where = namespace) => {
      all.set(`${where}_${name}`, { askedMs: performance.now() });
      await api.send('POST', `/api/v1/namespaces/${where}/pods`, podOf(name, node));
    },
    served: async () => {
      for (;;) {
        const progress = new Promise<'progress'>((resolve) => {
          changed = () => resolve('progress');
        });
        const waiting = [...all.values()].filter((one) => !isServed(one)).length;
        if (waiting === 0) return;
        const limit = new AbortController();
        const still = pause(stillLimitMs, 'still' as const, { signal: limit.signal }).catch(() => 'progress' as const);
        if ((await Promise.race([progress, still])) === 'still')
          throw new Error(
            `${contestant.name}: ${waiting} of ${all.size} pods are not served, and none was for a minute`,
          );
        limit.abort();
      }
    },
  };
}

function podOf(name: string, nodeName: string): unknown {
  const containers = [{ name: 'main', image: 'none', ports: [{ name: 'http', containerPort: 8080 }] }];
  const labels = { app: `app-${Number(/\d+/.exec(name)?.[0] ?? 0) % 10}` };
  // The watcher of 2017 cannot handle a pod without any annotation.
  const metadata = { name, labels, annotations: { 'bench.example/made-by': 'the benchmark' } };
  return { metadata, spec: { nodeName, containers, automountServiceAccountToken: false } };
}

export async function measurePods(place: Place, pods: Pods, running: Running, count: number) {
  const names = Array.from({ length: count }, (_, index) => `pod-${index}`);
  const [before, apiBefore, fileBefore] = [usageOf(running.pid), usageOf(process.pid), endOf(place.database)];
  const start = performance.now();
  await Promise.all(names.map((name, index) => pods.make(name, nodeNames[index % nodeNames.length] ?? '')));
  const madeMs = performance.now() - start;
  await pods.served();
  const wholeMs = performance.now() - start;
  const after = usageOf(running.pid);
  const served = names.flatMap((name) => pods.all.get(`${namespace}_${name}`) ?? []);
  const ofAll = (at: 'rowMs' | 'annotatedMs') => served.map((one) => (one[at] ?? Number.NaN) - one.askedMs);
  const written = writtenSince(place.database, fileBefore);
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
  return {
    'pods/s': (count / wholeMs) * 1000,
    'made by the clients, pods/s': (count / madeMs) * 1000,
    'create to row p50, ms': quantile(ofAll('rowMs'), 0.5),
    'create to row p99, ms': quantile(ofAll('rowMs'), 0.99),
    'create to annotation p50, ms': quantile(ofAll('annotatedMs'), 0.5),
    'create to annotation p99, ms': quantile(ofAll('annotatedMs'), 0.99),
    'CPU per pod, ms': (cpuSeconds * 1000) / count,
    'CPU of all, s': usageOf(process.pid).cpuSeconds - apiBefore.cpuSeconds,
    'peak resident, MB': after.peakMb,
    'NB transactions': written.transactions,
    'NB KB written': written.bytes / 1000,
  };
}
