// npm run bench:turns: the time for which the watcher keeps the event loop, and its memory, with many objects and with hostile objects
// (docs/lab/overlay-benchmarks.md).
import { setImmediate as setTurn } from 'node:timers';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import type { Test } from 'tap';
import type { Follower, KubernetesApi } from '../../../agent/drivers/kubernetes/api.ts';
import type { WatcherState } from '../../../agent/model/overlay-daemon.ts';
import { startWatcher } from '../../../agent/run/overlay/watcher/watcher.ts';
import { exposure, gatewayOf, modern, nodeOf } from '../../unit/overlay/cluster.ts';
import { seededRandom } from '../../unit/ovsdb/random.ts';
import { startCentral } from '../central.ts';
import { hostileObject } from '../hostile-objects.ts';
import { ownRelease } from '../releases.ts';
import { createStoredApi, podOn, type StoredApi, type StoredObject } from '../stored-api.ts';
import { scoped } from './scope.ts';

const nodes = [1, 2, 3].map((id) => nodeOf(id, { subnets: [`10.42.${16 * id}.0/20`], gateway: gatewayOf(id) }));
/** Objects in a page of the API server, and in one piece of a watch. */
const page = 200;
const piece = 10;

type Load = readonly (readonly [plural: Parameters<StoredApi['put']>[0], object: StoredObject])[];

function many<One>(count: number, one: (index: number) => One): One[] {
  return Array.from({ length: count }, (_, index) => one(index));
}

const metadataOf = (name: string, labels = {}) => ({ namespace: 'web', name, uid: `uid-of-${name}`, labels });

const loads: Readonly<Record<string, () => Load>> = {
  '10,000 services with 5 endpoints': () =>
    many(10_000, (index) => [
      [
        'services',
        {
          metadata: metadataOf(`s${index}`),
          spec: { clusterIPs: [`10.43.${index >> 8}.${index & 255}`], ports: [{ port: 80, protocol: 'TCP' }] },
        },
      ] as const,
      [
        'endpointslices',
        {
          metadata: metadataOf(`s${index}-a`, { 'kubernetes.io/service-name': `s${index}` }),
          addressType: 'IPv4',
          ports: [{ name: '', port: 8080, protocol: 'TCP' }],
          endpoints: many(5, (place) => ({
            addresses: [`10.42.16.${place + 3}`],
            nodeName: 'n1',
            conditions: { ready: true },
          })),
        },
      ] as const,
    ]).flat(),
  '2,000 pods, 200 policies': () => [
    ...many(
      200,
      (index) =>
        [
          'networkpolicies',
          {
            metadata: metadataOf(`p${index}`),
            spec: {
              podSelector: { matchLabels: { app: `a${index % 20}` } },
              ingress: [{ from: [{ podSelector: { matchLabels: { app: `a${index % 7}` } } }] }],
            },
          },
        ] as const,
    ),
    ...many(
      2_000,
      (index) =>
        [
          'pods',
          podOn(`n${1 + (index % 3)}`, `w${index}`, { namespace: 'web', labels: { app: `a${index % 20}` } }),
        ] as const,
    ),
  ],
  'largest objects': () => [
    ...many(
      20,
      (index) =>
        [
          'networkpolicies',
          {
            metadata: metadataOf(`p${index}`),
            spec: {
              podSelector: {},
              ingress: [
                { from: many(1_000, (block) => ({ ipBlock: { cidr: `10.${block >> 8}.${block & 255}.0/24` } })) },
              ],
            },
          },
        ] as const,
    ),
    ...many(
      20,
      (index) =>
        [
          'services',
          {
            metadata: metadataOf(`s${index}`),
            spec: {
              type: 'NodePort',
              externalTrafficPolicy: 'Local',
              clusterIPs: [`10.43.0.${index}`],
              ports: many(500, (port) => ({
                name: `p${port}`,
                port: port + 1,
                nodePort: 30_000 + port,
                protocol: 'TCP',
              })),
            },
          },
        ] as const,
    ),
    ...many(
      20,
      (index) =>
        [
          'endpointslices',
          {
            metadata: metadataOf(`s${index}-a`, { 'kubernetes.io/service-name': `s${index}` }),
            addressType: 'IPv4',
            ports: many(500, (port) => ({ name: `p${port}`, port: port + 1, protocol: 'TCP' })),
            endpoints: many(1_000, (place) => ({
              addresses: [`10.42.${16 + (place >> 8)}.${place & 255}`],
              nodeName: 'n1',
              conditions: { ready: true },
            })),
          },
        ] as const,
    ),
  ],
  '5,000 hostile objects': () => {
    const random = seededRandom(1);
    const aims = {
      nodes: ['192.0.2.11'],
      addresses: ['192.0.2.11', '10.42.16.3', '203.0.113.5', '10.43.0.1'],
      ports: [22, 80, 6443, 8080],
      uids: ['uid-of-web'],
    };
    return many(5_000, (index) => hostileObject(random, index, aims)).map(
      ({ plural, object }) => [plural, object] as const,
    );
  },
};

/**
 * Measures the longest turn of the event loop in CPU time of the process, which excludes the load of the machine and includes other threads (garbage
 * collection).
 */
function followTurns() {
  let [longest, isOver, before] = [0, false, process.cpuUsage()];
  const tick = (): void => {
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.cpuUsage();
    if (!isOver) setTurn(tick);
  };
  setTurn(tick);
  return {
    longestMs: () => longest,
    reset: () => {
      longest = 0;
    },
    end: () => {
      isOver = true;
    },
  };
}

/** Reads a list page by page, as the driver does. */
function paged(api: KubernetesApi): KubernetesApi {
  return {
    ...api,
    follow: <T>(collection: Parameters<KubernetesApi['follow']>[0], follower: Follower<T>) =>
      api.follow<unknown>(collection, {
        ...follower,
        read: (object) => object,
        whole: async (objects) => {
          const read: T[] = [];
          for (const [index, object] of objects.entries()) {
            if (index % page === page - 1) await setImmediate();
            read.push(follower.read(object));
          }
          await follower.whole(read);
        },
        changes: (changes) =>
          follower.changes(changes.map(({ type, object }) => ({ type, object: follower.read(object) }))),
      }),
  };
}

async function measured(t: Test, load: Load): Promise<Readonly<Record<string, number>>> {
  const central = await startCentral(t, false, ownRelease());
  await central.apply({ nodes });
  const api = createStoredApi();
  const turns = followTurns();
  let state: WatcherState | null = null;
  let changed = performance.now();
  const start = () =>
    startWatcher({
      api: paged(api.open()),
      remote: `unix:${central.folder}/nb.sock`,
      teller: { say: () => undefined, fail: ({ message }) => process.stderr.write(`# ${message}\n`) },
      note: (now) => {
        state = now;
        changed = performance.now();
      },
    });
  /** Waits until the watcher has reported no transaction for three seconds. */
  const quiet = async (): Promise<void> => {
    changed = performance.now();
    while (state === null || performance.now() - changed < 3_000) await pause(200);
  };
  let watcher = start();
  watcher.know({ layout: modern, nodes, exposure });
  await quiet();
  turns.reset();
  for (let first = 0; first < load.length; first += piece) {
    for (const [plural, object] of load.slice(first, first + piece)) api.put(plural, object);
    await setImmediate();
  }
  await quiet();
  const storm = turns.longestMs();
  await watcher.close();
  turns.reset();
  watcher = start();
  watcher.know({ layout: modern, nodes, exposure });
  await quiet();
  const restart = turns.longestMs();
  turns.end();
  await watcher.close();
  return {
    'longest turn, ms': storm,
    'at a restart, ms': restart,
    'highest resident, MB': process.resourceUsage().maxRSS / 1000,
  };
}

for (const [name, load] of Object.entries(loads)) {
  if (process.argv[2] !== undefined && !name.includes(process.argv[2])) continue;
  const figures = await scoped(async (scope) => measured(scope as unknown as Test, load()));
  process.stdout.write(
    `${name}: ${JSON.stringify(Object.fromEntries(Object.entries(figures).map(([what, value]) => [what, Math.round(value)])))}\n`,
  );
}
