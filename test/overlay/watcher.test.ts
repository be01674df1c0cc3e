// The daemon of the central node with a real API server and a real OVN: each pod gets its row and its annotation,
// whichever process crashes meanwhile.
import { once } from 'node:events';
import t, { type Test } from 'tap';
import { openApi } from '../../agent/drivers/kubernetes/open-api.ts';
import { type Mirror, type MirrorRow, openMirror, openSession } from '../../agent/drivers/ovsdb/index.ts';
import type { WatcherState } from '../../agent/model/overlay-daemon.ts';
import type { ClusterNode, Pod } from '../../agent/model/workload.ts';
import { startWatcher } from '../../agent/run/overlay/watcher/watcher.ts';
import { readNode } from '../../agent/workload/cluster-nodes.ts';
import { annotatedNetwork } from '../../agent/workload/pods/annotations.ts';
import { readPod } from '../../agent/workload/pods/read-pod.ts';
import { publishedNames } from '../../agent/workload/published-addresses.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { missingParts } from '../cluster/binaries.ts';
import { hear, openTestApi } from '../cluster/following.ts';
import { apiServerFor } from '../cluster/session.ts';
import { exposure } from '../unit/overlay/cluster.ts';
import { giveApi, makePod, prepareNamespace, removePod } from './cluster-api.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import { writesDuring } from './database-writes.ts';
import { form } from './form.ts';
import { asCommand, type Host, killProcess, missingForHosts, program, startCentral, startLan } from './hosts.ts';

/** Time limit of each connection and wait, far beyond the need of a busy machine. */
const limitMs = 60_000;

/** Follows OVN_Northbound of a node, and returns functions about its rows. */
async function openRows(t: Test, host: Host) {
  const remotes = `unix:${host.path('/run/ovn/ovnnb_db.sock')}`;
  const session = openSession({ remotes, database: 'OVN_Northbound', limitMs });
  t.teardown(() => session.close());
  const tables = { Logical_Switch_Port: { indexes: ['name'] }, Logical_Switch: {}, Address_Set: {}, Port_Group: {} };
  const mirror: Mirror = await openMirror(session, tables, limitMs);
  const port = (pod: string): MirrorRow | undefined =>
    mirror.table('Logical_Switch_Port').find('name', `default_${pod}`)[0];
  return {
    port,
    /** Returns the address of a pod that has a row, such as `10.42.0.3`. */
    addressOf: (pod: string): string => String(port(pod)?.addresses).split(' ')[1] ?? '',
    until: async (isSo: () => boolean): Promise<void> => void (await mirror.until(() => isSo(), limitMs)),
    sizeOf: (table: keyof typeof tables): number => mirror.table(table).size,
  };
}

/** Returns the address in a pod's annotation, as soon as it exists. */
function annotated(server: ApiServer, name: string): Promise<string> {
  const api = openApi({ kubeconfig: server.kubeconfig('admin'), nodeName: 'n1', say: () => undefined });
  const collection = { apiVersion: 'v1', plural: 'pods', namespace: 'default', fieldSelector: `metadata.name=${name}` };
  const found = new Promise<string>((resolve) => {
    const look = (pods: readonly Pod[]): void => {
      const [address] = pods.flatMap(({ annotations }) => annotatedNetwork(annotations)?.addresses ?? []);
      if (address !== undefined) resolve(address.replace(/\/.*/, ''));
    };
    api.follow<Pod>(collection, {
      read: readPod,
      whole: look,
      changes: (changes) => look(changes.map(({ object }) => object)),
      lost: () => undefined,
      found: () => undefined,
    });
  });
  return found.finally(api.close);
}

/** Kills the process of a PID file and starts it again with the same arguments. */
function restart({ must }: Host, file: string): void {
  const script =
    'pid=$(cat "$1"); xargs -0 sh -c \'printf "%s\\0" "$@" >/tmp/words\' sh </proc/$pid/cmdline; kill -9 $pid; pidwait -F "$1" || true; xargs -0 env </tmp/words';
  must('sh', '-c', script, 'sh', file);
}

/**
 * Module that a daemon loads: it crashes right before its next effect for a pod, a written row or a sent annotation.
 */
const countdown = `
const left = { effects: Number(process.env.KILL_BEFORE) };
const effect = () => { left.effects -= 1; if (left.effects === 0) process.kill(process.pid, 'SIGKILL'); };
const before = (object, name, counts) => {
  const original = object[name];
  object[name] = function (...words) { if (counts(...words)) effect(); return original.apply(this, words); };
};
before(require('node:net').Socket.prototype, 'write', (chunk) => /"op":"assert"/.test(String(chunk)));
before(require('node:https'), 'request', (url, options) => options?.method === 'PATCH');
`;

async function all(): Promise<void> {
  const server = await apiServerFor(t);
  if (server === null) return;
  await prepareNamespace(server);
  await t.test('pods of two nodes', (t) => onTwoNodes(t, server));
}

async function onTwoNodes(t: Test, server: ApiServer): Promise<void> {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  form(t, [n1, n2], { n2: ['--gateway', '192.0.2.100/24'] });
  await giveApi(t, n1, server, { externalIPRanges: '203.0.113.0/24' });
  let daemon = await startDaemon(n1);
  const rows = await openRows(t, n1);
  const { port, until, addressOf } = rows;
  /** Creates a pod and waits for its row: the daemon has then processed all earlier changes. */
  const passed = async (name: string): Promise<void> => {
    await makePod(server, 'n1', name);
    await until(() => port(name) !== undefined);
  };
  const agrees = async (t: Test, pod: string): Promise<void> => {
    t.equal(await annotated(server, pod), addressOf(pod), `row and annotation of ${pod} agree`);
  };

  await t.test('pods are created and removed', async (t) => {
    await Promise.all(['a', 'b', 'c'].map((name) => makePod(server, 'n2', name)));
    await until(() => ['a', 'b', 'c'].every((name) => port(name) !== undefined));
    await agrees(t, 'a');
    const first = String(port('a')?.options);
    await removePod(server, 'a');
    await makePod(server, 'n2', 'a');
    await until(() => port('a') !== undefined && String(port('a')?.options) !== first);
    const { body } = await server.call('GET', '/api/v1/namespaces/default/pods/a');
    t.ok(String(port('a')?.options).includes(body.metadata.uid), 'a new pod with the same name has another uid');

    const asking = { 'microshift-net/ip-address': '10.42.1.77' };
    await makePod(server, 'n2', 'first', asking);
    await makePod(server, 'n2', 'second', asking);
    await until(() => addressOf('first') === '10.42.1.77');
    await passed('after-second');
    t.equal(port('second'), undefined, 'of two pods that request one address, the second gets none');
    await server.call(
      'PATCH',
      '/api/v1/namespaces/default/pods/first/status',
      { status: { phase: 'Succeeded' } },
      'application/merge-patch+json',
    );
    await until(() => addressOf('second') === '10.42.1.77' && port('first') === undefined);
    const listener = openTestApi(server.kubeconfig('admin'));
    t.teardown(listener.close);
    // The selector excludes Events that the API server itself creates for services when it repairs their ClusterIPs.
    const fieldSelector = 'involvedObject.kind=Pod';
    const heard = hear(listener, { apiVersion: 'v1', plural: 'events', namespace: 'default', fieldSelector });
    await heard.until(({ names }) => names.size > 0, 'an Event exists');
    const events = await server.call('GET', `/api/v1/namespaces/default/events?fieldSelector=${fieldSelector}`);
    const reasons = events.body.items.map((one: { reason: string }) => one.reason);
    t.strictSame(reasons, ['AddressTaken'], 'one Event reports that the address was taken');
  });

  await t.test('an Event of a service names the places at which it does not answer', (t) =>
    tellsService(t, server, n1, n2, until),
  );

  await t.test('a load balancer that is removed from the switches by hand', (t) => putsBack(t, server, n1));

  await t.test('the API server is down for a while', async (t) => {
    await server.kill();
    const before = String(port('b')?._uuid);
    n1.must('ovn-nbctl', 'lsp-del', 'default_b');
    await until(() => port('b') !== undefined && String(port('b')?._uuid) !== before);
    t.pass('the daemon restores a row without the API server');
    server.start();
    await server.untilReady();
    await passed('after-api');
    await removePod(server, 'c');
    await until(() => port('c') === undefined);
  });

  await t.test('the daemon and the database are restarted', async (t) => {
    t.equal(await daemon.stop(), 0);
    await makePod(server, 'n2', 'while-stopped');
    const drift = n1.agent('overlay', 'verify');
    t.match(drift, { status: 3, stdout: /\+ Logical_Switch_Port default_while-stopped/ }, 'drift is reported');
    t.match(drift.stdout, /systemctl status microshift-net-overlay/);
    daemon = await startDaemon(n1);
    await until(() => port('while-stopped') !== undefined);
    await passed('settled');
    const written = await writesDuring(n1, ['OVN_Northbound'], async () => {
      t.equal(await daemon.stop(), 0);
      daemon = await startDaemon(n1);
      await passed('after-daemon');
    });
    t.strictSame(written, ['OVN_Northbound'], 'a restarted daemon writes only the new pod');
    t.match(n1.agent('overlay', 'verify'), { status: 0 });

    restart(n1, '/run/ovn/ovnnb_db.pid');
    await passed('after-restart');
    const before = addressOf('b');
    for (const name of ['ovn-northd', 'ovnnb_db', 'ovnsb_db']) killProcess(n1, `/run/ovn/${name}.pid`);
    n1.must('sh', '-c', 'rm -rf /var/lib/ovn/* /run/ovn/*_db.*');
    startCentral(n1);
    await passed('after-loss');
    await until(() => port('b') !== undefined && port('a') !== undefined);
    t.equal(addressOf('b'), before, 'a lost database is filled again, with the same addresses');
  });

  await t.test('the daemon crashes before each of its effects', async (t) => {
    n1.write('/tmp/countdown.cjs', countdown);
    await passed('settled-again');
    await agrees(t, 'b');
    t.equal(await daemon.stop(), 0);
    for (const effect of [1, 2]) {
      const name = `killed-${effect}`;
      const words = ['env', `KILL_BEFORE=${effect}`, ...asCommand, '--require', '/tmp/countdown.cjs', program];
      const child = n1.start(...words, 'overlay', 'run');
      const gone = once(child, 'exit');
      await makePod(server, 'n2', name);
      await gone;
      daemon = await startDaemon(n1);
      await until(() => port(name) !== undefined);
      await agrees(t, name);
      if (effect === 1) t.equal(await daemon.stop(), 0);
    }
  });

  await t.test('a second watcher takes over', (t) => standsBy(t, server, n1, daemon, passed));
  daemon = await startDaemon(n1);

  await t.test('Nodes get their addresses', (t) => publishes(t, server, n2));
  const version = async (name: string): Promise<unknown> =>
    (await server.call('GET', `/api/v1/nodes/${name}`)).body.metadata.resourceVersion;
  const before = await Promise.all(['n1', 'n2'].map(version));
  t.equal(await daemon.stop(), 0);
  daemon = await startDaemon(n1);
  await passed('after-publishing');
  t.strictSame(await Promise.all(['n1', 'n2'].map(version)), before, 'a second daemon writes nothing');

  await t.test('a node leaves, and then the overlay is disabled', async (t) => {
    t.match(n1.agent('overlay', 'leave', '--node', 'n2'), { status: 0 });
    await until(() => port('b') === undefined && port('killed-1') === undefined);
    await passed('last');
    await nodeUntil(server, 'n2', ({ publishedHere }) => publishedHere === undefined);
    t.pass('the addresses of a node that has left are removed');
    const verified = n1.agent('overlay', 'verify');
    t.match(
      verified,
      { status: 0 },
      `no drift with pods in the API that are still on the removed node: ${verified.stdout}`,
    );
    const words = verified.stdout.replaceAll(/\s+/g, ' ');
    t.match(
      words,
      /n2-of-the-test is registered, but belongs to no member/,
      'verify reports the ovn-controller of the removed node, which is still running',
    );
    t.equal(await daemon.stop(), 0);
    const disabled = n1.agent('overlay', 'disable');
    t.match(disabled, { status: 0 });
    t.notMatch(disabled.stdout, /What is left/);
    t.strictSame(
      await Promise.all(['n1', 'n2', 'n9'].map(async (name) => (await nodeUntil(server, name)).published)),
      [undefined, undefined, { 'k8s.ovn.org/host-cidrs': 'of another program' }],
      "disable removes the agent's annotations from all Nodes",
    );
    await until(() => rows.sizeOf('Logical_Switch_Port') === 0);
    t.strictSame(
      [rows.sizeOf('Address_Set'), rows.sizeOf('Port_Group')],
      [0, 0],
      'no address set and no port group is left',
    );
  });
}

/** Waits until a Node meets a condition, and returns it. */
function nodeUntil(
  server: ApiServer,
  name: string,
  isSo: (node: ClusterNode) => boolean = () => true,
): Promise<ClusterNode> {
  const api = openTestApi(server.kubeconfig('admin'));
  const collection = { apiVersion: 'v1', plural: 'nodes', namespace: null, fieldSelector: `metadata.name=${name}` };
  const found = new Promise<ClusterNode>((resolve) => {
    const look = (nodes: readonly ClusterNode[]): void => nodes.filter(isSo).forEach(resolve);
    api.follow<ClusterNode>(collection, {
      read: readNode,
      whole: look,
      changes: (changes) => look(changes.map(({ object }) => object)),
      lost: () => undefined,
      found: () => undefined,
    });
  });
  return found.finally(api.close);
}

/**
 * Tests that the annotations of Nodes have the addresses of the nodes and follow their changes, and that a change of
 * another program is reverted.
 */
async function publishes(t: Test, server: ApiServer, n2: Host): Promise<void> {
  const [subnets, primary, cidrs] = publishedNames;
  const make = (name: string, annotations: Readonly<Record<string, string>> = {}) =>
    server.call('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name, annotations } });
  for (const name of ['n1', 'n2']) t.match(await make(name, { other: 'kept' }), { status: 201 });
  t.match(await make('n9', { [cidrs]: 'of another program' }), { status: 201 });
  const plain = { [subnets]: '{"default":["10.42.1.0/24"]}', [cidrs]: '["192.0.2.12/24"]' };
  const publishedOn = async (name: string, isSo: (published: Readonly<Record<string, string>>) => boolean) =>
    (await nodeUntil(server, name, ({ published = {} }) => isSo(published))).published;
  t.strictSame(await publishedOn('n2', (published) => cidrs in published), plain);
  t.match(await publishedOn('n1', (published) => subnets in published), {
    [subnets]: '{"default":["10.42.0.0/24"]}',
    [cidrs]: '["192.0.2.11/24"]',
  });
  t.match(n2.agent('overlay', 'gateway', '--next-hop', '192.0.2.254'), { status: 0 });
  const all = { ...plain, [primary]: '{"ipv4":"192.0.2.12/24"}' };
  t.strictSame(
    await publishedOn('n2', (published) => primary in published),
    all,
    'the annotation has the gateway as a next hop',
  );
  const forged = { metadata: { annotations: { [subnets]: '{"default":["10.42.0.0/16"]}' } } };
  await server.call('PATCH', '/api/v1/nodes/n2', forged, 'application/merge-patch+json');
  t.strictSame(
    await publishedOn('n2', (published) => published[subnets] === plain[subnets]),
    all,
    'the annotation is repaired',
  );
  t.match(n2.agent('overlay', 'gateway', '--remove'), { status: 0 });
  t.strictSame(
    await publishedOn('n2', (published) => !(primary in published)),
    plain,
    'the annotation has no next hop any more',
  );
  const { body } = await server.call('GET', '/api/v1/nodes/n2');
  t.equal(body.metadata.annotations.other, 'kept');
}

/** Tests that a service gets one Event for each reason, and no Event twice. */
async function tellsService(
  t: Test,
  server: ApiServer,
  n1: Host,
  n2: Host,
  until: (isSo: () => boolean) => Promise<void>,
): Promise<void> {
  const listener = openTestApi(server.kubeconfig('admin'));
  t.teardown(listener.close);
  const events = '/api/v1/namespaces/default/events';
  // The selector excludes Events that the API server itself creates for the service when it repairs its ClusterIP.
  const fieldSelector = 'involvedObject.name=shop,reason=NotServed';
  const heard = hear(listener, { apiVersion: 'v1', plural: 'events', namespace: 'default', fieldSelector });
  await heard.until(({ log }) => log.some((line) => line.startsWith('whole')), 'Events are listed');
  const known = new Set<string>();
  const unexpected: string[] = [];
  /** Waits for an Event with these words, once for each Event; several may arrive at once, in any order. */
  const reported = async (words: RegExp): Promise<void> => {
    for (;;) {
      const { body } = await server.call('GET', `${events}?fieldSelector=${fieldSelector}`);
      const items = body.items as { metadata: { name: string }; reason: string; message: string }[];
      for (const { metadata, reason, message } of items.filter((one) => !known.has(one.metadata.name))) {
        known.add(metadata.name);
        unexpected.push(`${reason}: ${message}`);
      }
      const found = unexpected.findIndex((text) => words.test(text));
      if (found !== -1) return void t.pass(String(unexpected.splice(found, 1)));
      await heard.until(({ names }) => names.size > known.size, `an Event with ${words}`);
    }
  };
  const gateway = (host: Host, ...words: readonly string[]): void => {
    t.match(host.agent('overlay', 'gateway', ...words), { status: 0 }, `${host.name}: ${words.join(' ')}`);
  };
  const nextHop = ['--next-hop', '192.0.2.254'];
  gateway(n1, ...nextHop);
  await server.call('POST', '/api/v1/namespaces/default/services', {
    metadata: { name: 'shop' },
    spec: {
      type: 'NodePort',
      clusterIP: '10.43.0.90',
      externalIPs: ['203.0.113.9', '198.51.100.9'],
      ports: [{ port: 80 }],
    },
  });
  await reported(/^NotServed: 198\.51\.100\.9 port 80 is not served: externalIPs are served only in ranges .*$/);
  await reported(/^NotServed: NodePorts do not answer at members that are not gateways .*$/);
  gateway(n2, '--address', '192.0.2.100/24', '--high-availability', 'vip', ...nextHop);
  await reported(/^NotServed: NodePorts do not answer at 192\.0\.2\.100, which several gateways share: .*$/);
  gateway(n1, '--remove');
  await reported(/^NotServed: 203\.0\.113\.9 is served inside of the cluster only, because .*$/);
  gateway(n1, ...nextHop);
  gateway(n2, '--remove');
  gateway(n1, '--remove');
  // The daemon writes the rows for the changes of gateways in its next runs, maybe after the last command has ended.
  await until(() => n1.agent('overlay', 'verify').status === 0);
  t.pass('the rows are as without gateways');
  t.strictSame(unexpected, [], 'no other Event exists');
  await heard.until(({ names }) => names.size === known.size, 'the watch has delivered every Event');
  t.strictSame(
    heard.log.filter((line) => !line.startsWith('whole')).toSorted(),
    [...known].map((name) => `ADDED ${name}`).toSorted(),
    'no Event exists twice',
  );
  await server.call('DELETE', '/api/v1/namespaces/default/services/shop');
}

/** Tests that a load balancer is on each switch again after it was removed from all switches by hand. */
async function putsBack(t: Test, server: ApiServer, n1: Host): Promise<void> {
  await server.call('POST', '/api/v1/namespaces/default/services', {
    metadata: { name: 'stall' },
    spec: { clusterIP: '10.43.0.91', ports: [{ port: 80 }] },
  });
  const nbctl = (...words: readonly string[]): string => n1.must('ovn-nbctl', `--timeout=${limitMs / 1000}`, ...words);
  const [group, name] = ['Load_Balancer_Group clusterLBGroup'.split(' '), 'Service_default/stall_TCP_cluster'];
  nbctl('wait-until', 'Load_Balancer', name);
  const uuid = nbctl('get', 'Load_Balancer', name, '_uuid').trim();
  nbctl('remove', ...group, 'load_balancer', uuid);
  nbctl('wait-until', ...group, `load_balancer{>=}${uuid}`);
  t.pass('the load balancer is in the group of all switches again');
  await server.call('DELETE', '/api/v1/namespaces/default/services/stall');
}

/** Tests that a second watcher takes over when the daemon is killed. */
async function standsBy(
  t: Test,
  server: ApiServer,
  n1: Host,
  daemon: Daemon,
  passed: (name: string) => Promise<void>,
): Promise<void> {
  // When this pod has its row, the daemon has the lock.
  await passed('before-take-over');
  const record = JSON.parse(n1.must('cat', '/var/lib/microshift-net/overlay.json'));
  const states: WatcherState[] = [];
  // The state is reported at most once a second, and messages are reported at once.
  const said: [line: string, atMs: number][] = [];
  let tell = (): void => undefined;
  const reported = (isSo: (state: WatcherState) => boolean): Promise<void> =>
    new Promise((resolve) => {
      tell = () => states.slice(-1).some(isSo) && resolve();
      tell();
    });
  const api = openApi({ kubeconfig: server.kubeconfig('admin'), nodeName: 'n1', say: () => undefined });
  const watcher = startWatcher({
    api,
    remote: `unix:${n1.path('/run/ovn/ovnnb_db.sock')}`,
    teller: { say: (line) => void said.push([line, performance.now()]), fail: ({ message }) => t.comment(message) },
    note: (state) => {
      states.push(state);
      tell();
    },
  });
  watcher.know({ layout: record.layout, nodes: record.members, exposure });
  await reported(({ role }) => role === 'standby');
  await server.call('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n9' } });
  await reported(({ objects, nodesOutside }) => objects.Node === 1 && String(nodesOutside) === 'n9');
  await server.call('DELETE', '/api/v1/nodes/n9');
  await reported(({ objects, nodesOutside }) => objects.Node === 0 && nodesOutside.length === 0);
  t.pass('the state names a Node that has not joined, until the Node is deleted');
  const active = reported(({ role }) => role === 'active');
  await makePod(server, 'n1', 'at-take-over');
  const beganMs = performance.now();
  n1.must('kill', '-9', String(daemon.pid));
  await active;
  await passed('after-take-over');
  const [, atMs = Number.NaN] = said.find(([line]) => line.startsWith('keeping the rows')) ?? [];
  t.comment(`the second watcher takes over ${Math.round(atMs - beganMs)} ms after the kill of the first`);
  t.strictSame([...new Set(states.map(({ role }) => role))], ['waiting', 'standby', 'active']);
  await watcher.close();
  api.close();
}

const reason = missingForHosts() ?? missingParts();
if (reason !== null) t.plan(0, reason);
else await all();
