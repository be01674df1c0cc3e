// Faults around the daemon of the central node while pods are created and removed: a full disk, a clock that is set, a
// slow API server, and a burst of changes.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import t, { type Test } from 'tap';
import { openMirror, openSession } from '../../agent/drivers/ovsdb/index.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { missingParts } from '../cluster/binaries.ts';
import { apiServerFor } from '../cluster/session.ts';
import { giveApi, makePod, prepareNamespace, removePod } from './cluster-api.ts';
import { sandboxId } from './cni-cluster.ts';
import { asWanted, type Daemon, startDaemon } from './daemon.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, program, startLan } from './hosts.ts';
import { cni, createPod, installShim, makeSandbox, ofPods } from './pods.ts';
import { type SlowWay, slowWay } from './slow-api.ts';

/** Time limit of each connection and wait, far beyond the need of a busy machine. */
const limitMs = 120_000;
/** Folders in which the daemon and the plug-in write, each on a separate disk. */
const places = ['/var/lib/microshift-net', '/run/microshift-net', '/etc/cni/net.d', '/tmp'];
/** Folder of OVN's databases. */
const databases = '/var/lib/ovn';
const fakeClock = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** Daemon with its messages. */
interface Heard extends Daemon {
  /** Resolves when the daemon has printed this text. */
  saying(words: RegExp): Promise<void>;
  times(words: RegExp): number;
}

async function startHeard(host: Host, environment: readonly string[] = []): Promise<Heard> {
  let said = '';
  const waiting = new Set<() => void>();
  const hear = (text: string): void => {
    said += text;
    process.stderr.write(text);
    for (const look of [...waiting]) look();
  };
  const daemon = await startDaemon(host, asWanted, hear, environment);
  return {
    ...daemon,
    saying: (words) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!words.test(said)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    times: (words) => said.match(new RegExp(words, 'g'))?.length ?? 0,
  };
}

/** Follows OVN_Northbound of a node, and returns functions about its rows. */
async function openRows(t: Test, host: Host) {
  const remotes = `unix:${host.path('/run/ovn/ovnnb_db.sock')}`;
  const open = () => {
    const session = openSession({ remotes, database: 'OVN_Northbound', limitMs });
    t.teardown(() => session.close());
    return session;
  };
  const ports = await openMirror(open(), { Logical_Switch_Port: { indexes: ['name'] } }, limitMs);
  const balancers = await openMirror(open(), { Load_Balancer: {} }, limitMs);
  let writes = 0;
  balancers.onChange(() => {
    writes += 1;
  });
  const portOf = (pod: string) => ports.table('Logical_Switch_Port').find('name', `default_${pod}`)[0];
  const has = (pod: string): boolean => portOf(pod) !== undefined;
  return {
    has,
    untilPort: async (pod: string, isThere = true): Promise<void> => {
      await ports.until(() => has(pod) === isThere, limitMs);
    },
    /** Deletes the row of a pod, and waits until the daemon has written it again. */
    untilPutBack: async (pod: string): Promise<void> => {
      const before = String(portOf(pod)?._uuid);
      host.must('ovn-nbctl', 'lsp-del', `default_${pod}`);
      await ports.until(() => has(pod) && String(portOf(pod)?._uuid) !== before, limitMs);
    },
    untilBalanced: async (isSo: (vips: string) => boolean): Promise<void> => {
      await balancers.until(
        () => isSo(JSON.stringify([...balancers.table('Load_Balancer').rows()].map(({ vips }) => vips))),
        limitMs,
      );
    },
    /** Returns the number of transactions that changed load balancers. */
    writes: () => writes,
  };
}
type Rows = Awaited<ReturnType<typeof openRows>>;

async function all(): Promise<void> {
  const server = await apiServerFor(t);
  if (server === null) return;
  await prepareNamespace(server);
  await t.test('while pods are created and removed', (t) => onNode(t, server));
}

async function onNode(t: Test, server: ApiServer): Promise<void> {
  const lan = await startLan(t);
  const n1 = await lan.host('n1', 11);
  for (const place of places)
    n1.must('sh', '-c', 'mkdir -p "$1" && mount -t tmpfs -o size=512k,mode=755 small "$1"', 'sh', place);
  n1.must('sh', '-c', `mkdir -p ${databases} && mount -t tmpfs -o size=8m,mode=755 small ${databases}`);
  installShim(n1);
  form(t, [n1]);
  const way = await slowWay(t, server.port);
  await giveApi(t, n1, { ...server, port: way.port });
  const rows = await openRows(t, n1);
  await t.test('a full disk', (t) => onFullDisk(t, server, n1, rows));
  await t.test('a full disk under the databases', (t) => onFullDatabase(t, server, n1, rows));
  const skip = existsSync(fakeClock) ? false : 'libfaketime is missing';
  await t.test('a clock that is set', { skip }, (t) => onSetClock(t, server, n1, rows, way));
  const daemon = await startHeard(n1);
  await t.test('a slow API server', (t) => onSlowServer(t, server, rows, way));
  await t.test('a burst of changes', (t) => onBurst(t, server, n1, rows, way, daemon));
  t.equal(await verified(n1), 0, 'after all faults, every row is in the desired state');
  t.equal(await daemon.stop(), 0);
}

/** Returns the exit code of `overlay verify`, which queries the API server through this process without blocking it. */
async function verified(host: Host): Promise<number | null> {
  const [code] = await once(host.start(process.execPath, program, 'overlay', 'verify'), 'exit');
  return code;
}

async function onFullDisk(t: Test, server: ApiServer, n1: Host, rows: Rows): Promise<void> {
  const fill = (place: string): void => {
    n1.run(['dd', 'if=/dev/zero', `of=${place}/filler`, 'bs=1k']);
    t.not(n1.run(['sh', '-c', 'echo x > "$1"/more', 'sh', place]).status, 0, `${place} is full`);
    n1.must('rm', '-f', `${place}/more`);
  };
  const conflist = '/etc/cni/net.d/10-microshift-net.conflist';
  fill('/etc/cni/net.d');
  const daemon = await startHeard(n1);
  await daemon.saying(/no pod can start on this node: .*conflist cannot be written/);
  for (const place of places) if (place !== '/etc/cni/net.d') fill(place);
  await makePod(server, 'n1', 'come');
  await rows.untilPort('come');
  await removePod(server, 'come');
  await rows.untilPort('come', false);
  await daemon.saying(/overlay-run\.json cannot be written/);
  const sandbox = makeSandbox(n1, sandboxId(), await createPod(server, 'n1', 'stay'));
  t.match(await cni(n1, 'ADD', sandbox), { status: 0, result: { ips: [{}] } }, 'a pod gets its interface');
  t.match(await cni(n1, 'DEL', sandbox), { status: 0 });
  t.strictSame(ofPods(n1), []);
  t.equal(await verified(n1), 0, 'every row is in the desired state');
  t.equal(n1.must('find', ...places, '-name', '*.tmp'), '', 'no incomplete file is left');
  t.not(n1.run(['test', '-e', conflist]).status, 0);

  for (const place of places) n1.must('rm', `${place}/filler`);
  await Promise.all([daemon.saying(/wrote .*conflist/), daemon.saying(/overlay-run\.json can be written again/)]);
  t.match(JSON.parse(n1.must('cat', conflist)), { name: 'ovn-kubernetes' });
  const { pid, watcher } = JSON.parse(n1.must('cat', '/run/microshift-net/overlay-run.json'));
  t.strictSame([pid, watcher.role, watcher.objects.Pod ?? watcher.objects.pods], [daemon.pid, 'active', 1]);
  t.equal(n1.must('find', ...places, '-name', '*.tmp'), '');
  t.strictSame([daemon.times(/conflist cannot be written/), daemon.times(/run\.json cannot be written/)], [1, 1]);
  t.equal(await daemon.stop(), 0);
}

/**
 * Asserts that no object is blamed for a refusal while the disk is full: the daemon would set the object aside, and
 * write later objects without it.
 */
async function onFullDatabase(t: Test, server: ApiServer, n1: Host, rows: Rows): Promise<void> {
  const daemon = await startHeard(n1);
  await makePod(server, 'n1', 'early');
  await rows.untilPort('early');
  n1.run(['dd', 'if=/dev/zero', `of=${databases}/filler`, 'bs=1k']);
  // The last block of the disk still has room for a few rows, so one pod would not suffice.
  const names = Array.from({ length: 30 }, (_, index) => `starved-${index}`);
  await Promise.all(names.map((name) => makePod(server, 'n1', name)));
  await daemon.saying(/I\/O error: .*write failed/);
  n1.must('rm', `${databases}/filler`);
  await makePod(server, 'n1', 'fed');
  for (const name of ['fed', ...names]) await rows.untilPort(name);
  const { body } = await server.call('GET', '/api/v1/namespaces/default/events?fieldSelector=reason=Refused');
  t.strictSame(body.items, [], 'no pod has an Event about a refusal');
  for (const name of ['early', 'fed', ...names]) await removePod(server, name);
  for (const name of ['early', 'fed', ...names]) await rows.untilPort(name, false);
  t.equal(await verified(n1), 0, 'every row is in the desired state');
  t.equal(await daemon.stop(), 0);
}

/**
 * Tests a daemon whose clock is set by libfaketime, which changes all times of day that the daemon reads, also for
 * certificates; monotonic clocks continue, as when an administrator or NTP sets a real clock. libfaketime does not
 * affect timers of the kernel that follow the time of day (timerfd), which no program here uses.
 */
async function onSetClock(t: Test, server: ApiServer, n1: Host, rows: Rows, way: SlowWay): Promise<void> {
  const set = (to: string): void => {
    // libfaketime reads the file at every call, so it must never be empty.
    n1.must('sh', '-c', 'echo "$1" > /run/clock.new && mv /run/clock.new /run/clock', 'sh', to);
  };
  const passes = async (pod: string): Promise<void> => {
    await makePod(server, 'n1', pod);
    await rows.untilPort(pod);
  };
  const environment = [
    `LD_PRELOAD=${fakeClock}`,
    'FAKETIME_TIMESTAMP_FILE=/run/clock',
    'FAKETIME_NO_CACHE=1',
    'FAKETIME_DONT_FAKE_MONOTONIC=1',
  ];
  set('+2h');
  const daemon = await startHeard(n1, environment);
  await passes('before');
  set('+1h');
  await passes('hour-back');
  set('+3650d');
  await passes('ten-years-on');
  // A connection that resumes an earlier TLS session does not verify the certificate again (RFC 8446 section 2.2).
  way.cut();
  await rows.untilPutBack('before');
  t.equal(
    await daemon.stop(),
    0,
    'the daemon works with jumps of the clock, and keeps the rows without the API server',
  );

  const [opened, text] = [way.opened, /certificate of the API server at \S+ has expired/];
  const late = await startHeard(n1, environment);
  await late.saying(/(^|\n)(?!.*this node's pods).*certificate of the API server at \S+ has expired/);
  t.match(n1.agent('overlay', 'status').stdout, text, 'status reports it');
  await makePod(server, 'n1', 'unheard');
  await late.saying(/this node's pods: the certificate/);
  t.notOk(rows.has('unheard'), 'the daemon reads nothing from a server with an expired certificate');
  t.ok(rows.has('before'), 'the daemon keeps existing rows');
  set('+1h');
  await rows.untilPort('unheard');
  t.ok(way.opened - opened < 100, `the daemon made few connections: ${way.opened - opened}`);
  await passes('after');
  const reported = late.times(text);
  t.ok(reported >= 2 && reported <= 4, `reported ${reported} times, by the followers of objects and to systemd`);
  t.equal(await late.stop(), 0);
}

async function onSlowServer(t: Test, server: ApiServer, rows: Rows, way: SlowWay): Promise<void> {
  way.delay(5_000);
  await Promise.all(['slow-1', 'slow-2', 'slow-3'].map((name) => makePod(server, 'n1', name)));
  for (const name of ['slow-1', 'slow-2', 'slow-3']) await rows.untilPort(name);
  way.delay(0);
  t.pass('pods get their rows although each answer takes five seconds');

  const release = way.stall();
  await makePod(server, 'n1', 'stalled');
  await rows.untilPutBack('slow-1');
  await removePod(server, 'slow-2');
  t.strictSame(
    [rows.has('stalled'), rows.has('slow-2')],
    [false, true],
    'rows stay as they are while the watches stall',
  );
  release();
  await rows.untilPort('stalled');
  await rows.untilPort('slow-2', false);
}

async function onBurst(t: Test, server: ApiServer, n1: Host, rows: Rows, way: SlowWay, { pid }: Daemon): Promise<void> {
  const [slices, updates] = [50, 40];
  const names = Array.from({ length: slices }, (_, n) => n);
  const collection = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  const addressOf = (slice: number, update: number): string =>
    update === updates ? `10.42.0.${100 + slice}` : `10.42.${1 + slice}.${1 + update}`;
  const peakKib = (): number => Number(/VmHWM:\s+(\d+)/.exec(n1.must('cat', `/proc/${pid}/status`))?.[1]);
  await server.call('POST', '/api/v1/namespaces/default/services', {
    metadata: { name: 'web' },
    spec: { clusterIP: '10.43.0.80', ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
  });
  await Promise.all(
    names.map((slice) =>
      server.call('POST', collection, {
        metadata: { name: `web-${slice}`, labels: { 'kubernetes.io/service-name': 'web' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: [addressOf(slice, 0)], conditions: { ready: true } }],
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      }),
    ),
  );
  await rows.untilBalanced((vips) => names.every((slice) => vips.includes(`${addressOf(slice, 0)}:8080`)));
  const [wrote, before] = [rows.writes(), peakKib()];
  const release = way.stall();
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const statuses = await Promise.all(
    names.map(async (slice) => {
      const found = new Set<number | undefined>();
      for (let update = 1; update <= updates; update += 1)
        found.add(
          await patch(server, agent, `${collection}/web-${slice}`, {
            endpoints: [{ addresses: [addressOf(slice, update)], conditions: { ready: true } }],
          }),
        );
      return [...found];
    }),
  );
  agent.destroy();
  t.strictSame(new Set(statuses.flat()), new Set([200]));
  t.equal(rows.writes(), wrote, 'the daemon wrote no row');
  release();
  await makePod(server, 'n1', 'after-burst');
  await rows.untilBalanced(
    (vips) => names.every((slice) => vips.includes(`${addressOf(slice, updates)}:8080`)) && !vips.includes('10.42.1.'),
  );
  await rows.untilPort('after-burst');
  const written = rows.writes() - wrote;
  t.comment(
    `${slices * updates} updates: ${written} transactions, resident at most ${before} and then ${peakKib()} KiB`,
  );
  t.ok(written <= (slices * updates) / 40, `few transactions: ${written}`);
  t.ok(peakKib() < 100_000, `memory is bounded: ${peakKib()} KiB`);
}

/**
 * Sends a PATCH request as ApiServer.call would, but over connections that stay open, because two thousand handshakes
 * would slow the burst down; returns the status.
 */
function patch(
  { port, folder, token }: ApiServer,
  agent: Agent,
  path: string,
  body: object,
): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/merge-patch+json' };
  const options = { host: '127.0.0.1', port, ca: readFileSync(`${folder}/ca.crt`), agent, path, headers };
  return new Promise((resolve, reject) => {
    request({ ...options, method: 'PATCH' }, (incoming) => {
      incoming.resume().on('end', () => resolve(incoming.statusCode));
    })
      .on('error', reject)
      .end(JSON.stringify(body));
  });
}

const reason = missingForHosts() ?? missingParts();
if (reason !== null) t.plan(0, reason);
else await all();
