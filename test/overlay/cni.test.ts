// The CNI plug-in on real nodes: pods get their interfaces and reach each other, and every operation follows its
// specification. The tests of a release share two nodes. Assigned and forged addresses are tested with each release of
// OVN, which binds the ports; the operations of the plug-in do not depend on the release.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { macOf } from '../../agent/overlay/addresses.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { apiServerFor } from '../cluster/session.ts';
import { prepareNamespace, removePod } from './cluster-api.ts';
import { type CniCluster, joinCniCluster, sandboxId } from './cni-cluster.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import { type Host, killProcess } from './hosts.ts';
import { ovnsHere } from './ovn-of-nodes.ts';
import { ping } from './ping.ts';
import {
  cni,
  createPod,
  inPod,
  makeSandbox,
  missingForPods,
  ofPods,
  removeNamespace,
  type Sandbox,
  shim,
} from './pods.ts';
import { talk } from './talk.ts';

const skip = missingForPods() ?? false;
/** Ranges in which pods may ask for addresses: of each namespace one on node n1. */
const ranges = 'default=10.42.0.0/27,lab=10.42.0.32/27';

t.test('pods of two nodes', { skip }, async (t) => {
  const server = await apiServerFor(t);
  if (server === null) return;
  await prepareNamespace(server, 'lab');
  const [first] = ovnsHere();
  for (const which of ovnsHere())
    await t.test(`OVN: ${which}`, async (t) => {
      const cluster = await joinCniCluster(t, server, { fixedAddressRanges: ranges }, which);
      if (which === first) await t.test('operations of the plug-in', (t) => operations(t, cluster));
      const daemons = [await startDaemon(cluster.hosts[0]), await startDaemon(cluster.hosts[1])] as const;
      if (which === first) await t.test('a static pod', (t) => staticPod(t, cluster));
      await t.test('ranges of namespaces', (t) => fixedAddresses(t, cluster));
      await t.test('a forged annotation', (t) => forgedAnnotation(t, cluster, daemons));
      if (which === first) await t.test('invalid requests', (t) => invalidRequests(t, cluster));
      for (const namespace of ['default', 'lab']) await empty(server, namespace);
    });
});

/** Removes all pods and Events of a namespace. */
async function empty(server: ApiServer, namespace: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}`;
  const { body } = await server.call('GET', `${path}/pods`);
  for (const { metadata } of body.items as readonly { readonly metadata: { readonly name: string } }[])
    await server.call('DELETE', `${path}/pods/${metadata.name}?gracePeriodSeconds=0`);
  await server.call('DELETE', `${path}/events`);
}

/** Tests every operation of the plug-in, before and after the start of the daemons, which end with the test. */
async function operations(t: Test, cluster: CniCluster): Promise<void> {
  const { hosts } = cluster;
  const [n1, n2] = hosts;
  const a = await cluster.pod(n1, 'a', { 'microshift-net/ip-address': '10.42.0.7' });
  t.match(await cni(n1, 'VERSION', a.sandbox), {
    status: 0,
    result: { supportedVersions: ['0.3.1', '0.4.0', '1.0.0', '1.1.0'] },
  });
  t.match(await cni(n1, 'STATUS', a.sandbox), { status: 1, result: { code: 50 } }, 'STATUS fails without the daemon');
  t.match(await cni(n1, 'ADD', a.sandbox), { status: 1, result: { code: 11 } }, 'ADD asks for a later attempt');
  t.match(await cni(n1, 'DEL', a.sandbox), { status: 0, result: undefined }, 'DEL succeeds without the daemon');
  t.notOk(
    n1.run(['test', '-e', '/etc/cni/net.d/10-microshift-net.conflist']).status === 0,
    'container runtimes find no network',
  );

  const daemons = [await startDaemon(n1), await startDaemon(n2)];
  t.match(await cni(n1, 'STATUS', a.sandbox), { status: 0, result: undefined });
  const added = await cni(n1, 'ADD', a.sandbox);
  const link = a.sandbox.id.slice(0, 15);
  t.strictSame(added.result, {
    cniVersion: '1.1.0',
    interfaces: [
      { name: link, mtu: 1442 },
      { name: 'eth0', mac: '0a:58:0a:2a:00:07', mtu: 1442, sandbox: a.sandbox.netns },
    ],
    ips: [{ address: '10.42.0.7/24', gateway: '10.42.0.1', interface: 1 }],
    routes: [
      { dst: '10.42.0.0/16', gw: '10.42.0.1' },
      { dst: '10.43.0.0/16', gw: '10.42.0.1' },
      { dst: '100.64.0.0/16', gw: '10.42.0.1' },
      { dst: '0.0.0.0/0', gw: '10.42.0.1' },
    ],
    dns: {},
  });
  t.match(
    n1.must('cat', '/etc/cni/net.d/10-microshift-net.conflist'),
    /"name": "ovn-kubernetes"/,
    'container runtimes find the network',
  );
  t.strictSame(ofPods(n1), [`link ${link}`, `port ${link}`]);

  // The kubelet calls the plug-in as soon as it sees the pod, before the central node has assigned an address.
  const b = await cluster.pod(n2, 'b');
  const { status, result } = await cni(n2, 'ADD', b.sandbox);
  t.equal(status, 0);
  const addressA = '10.42.0.7';
  const addressB: string = result.ips[0].address.replace('/24', '');
  const [inA, inB] = [inPod(n1, a.sandbox), inPod(n2, b.sandbox)];
  t.equal(ping(inA, addressB), 63, 'a pod reaches a pod of another node over a router');
  t.equal(ping(inB, addressA), 63);
  t.equal(ping(n2, addressA), 63, 'the other node reaches the pod');
  t.equal(ping(n1, addressA), 64, "the pod's own node reaches it");
  t.equal(ping(inA, '10.42.0.2'), 64, 'the pod reaches its own node');
  t.equal(ping(inA, '10.42.1.2'), 63, 'the pod reaches another node');
  const said = 'checksums are right '.repeat(200);
  t.equal(await (await talk(inA, inB, addressB)).say(said), said);

  const wanted = { prevResult: added.result };
  t.match(await cni(n1, 'CHECK', a.sandbox, wanted), { status: 0, result: undefined });
  t.match(await cni(n1, 'CHECK', a.sandbox), { status: 1, result: { code: 7 } });
  const broken = async (undo: readonly string[], redo: readonly string[], fault: RegExp): Promise<void> => {
    inA.must(...undo);
    t.match(await cni(n1, 'CHECK', a.sandbox, wanted), { status: 1, result: { code: 100, details: fault } });
    inA.must(...redo);
  };
  const mtu = ['ip', 'link', 'set', 'eth0', 'mtu'];
  await broken([...mtu, '1300'], [...mtu, '1442'], /^eth0 has MTU 1300, not 1442$/);
  const route = ['10.42.0.0/16', 'via', '10.42.0.1'];
  await broken(
    ['ip', 'route', 'del', ...route],
    ['ip', 'route', 'add', ...route],
    /^the pod has no route 10\.42\.0\.0\/16/,
  );
  n1.must('ovs-vsctl', 'set', 'Interface', link, 'external_ids:iface-id-ver=another');
  t.match(await cni(n1, 'CHECK', a.sandbox, wanted), { result: { code: 100, details: /iface-id-ver another, not/ } });

  t.match(
    await cni(n1, 'ADD', a.sandbox),
    { status: 1, result: { code: 101, msg: /already/ } },
    'a second ADD for the same container is refused',
  );
  t.strictSame(ofPods(n1), [`link ${link}`, `port ${link}`], 'the pod keeps its link and its port');
  const again = makeSandbox(n1, sandboxId(), a.pod);
  t.match(await cni(n1, 'ADD', again), { status: 0 }, 'ADD succeeds for a new sandbox of the pod');
  const second = again.id.slice(0, 15);
  t.strictSame(
    ofPods(n1),
    [`link ${link}`, `link ${second}`, `port ${second}`].toSorted(),
    'the new sandbox has the port, and the old one only its link',
  );

  const valid = { 'cni.dev/valid-attachments': [{ containerID: again.id, ifname: 'eth0' }] };
  t.match(
    await cni(n1, 'GC', again),
    { status: 1, result: { code: 7 } },
    'GC without a list of valid attachments is refused',
  );
  t.match(await cni(n1, 'GC', again, valid), { status: 0 });
  t.strictSame(ofPods(n1), [`link ${second}`, `port ${second}`]);
  t.equal(ping(inPod(n1, again), addressB), 63);
  for (const _ of [1, 2]) t.match(await cni(n1, 'DEL', again), { status: 0, result: undefined });
  removeNamespace(n2, b.sandbox);
  t.match(
    await cni(n2, 'DEL', { ...b.sandbox, netns: '' }),
    { status: 0 },
    'DEL succeeds without the network namespace',
  );
  for (const host of hosts) t.strictSame(ofPods(host), []);
  for (const daemon of daemons) t.equal(await daemon.stop(), 0);
}

/** Tests that a static pod keeps its network when its mirror pod in the API is deleted. */
async function staticPod(t: Test, cluster: CniCluster): Promise<void> {
  const { server, hosts } = cluster;
  const [n1] = hosts;
  const mirror = { 'kubernetes.io/config.mirror': 'of-a-file' };
  const pod = await createPod(server, 'n1', 'static', mirror);
  const sandbox = makeSandbox(n1, sandboxId(), { ...pod, uid: 'of-a-file' });
  const { status, result } = await cni(n1, 'ADD', sandbox);
  t.equal(status, 0);
  const address: string = result.ips[0].address.replace('/24', '');
  t.equal(ping(n1, address), 64);
  await removePod(server, 'static');
  // When this pod has its interface, the rows for the deleted mirror pod have been removed.
  const other = await cluster.pod(n1, 'after-static');
  t.match(await cni(n1, 'ADD', other.sandbox), { status: 0 });
  await createPod(server, 'n1', 'static', mirror);
  t.equal(ping(n1, address), 64, 'the pod has the address that it had before');
  t.match(await cni(n1, 'CHECK', sandbox, { prevResult: result }), { status: 0 });
  for (const one of [sandbox, other.sandbox]) t.match(await cni(n1, 'DEL', one), { status: 0 });
}

/**
 * Tests pods that ask for an address: a pod gets an address of its namespace's range, and a pod that asks for another
 * one gets none and an Event.
 */
async function fixedAddresses(t: Test, cluster: CniCluster): Promise<void> {
  const { server, hosts } = cluster;
  const [n1, n2] = hosts;
  const pod = async (namespace: string, name: string, address: string): Promise<Sandbox> => {
    const annotations = { 'microshift-net/ip-address': address };
    return makeSandbox(n1, sandboxId(), await createPod(server, 'n1', name, annotations, namespace));
  };
  const [own, other] = [await pod('lab', 'own', '10.42.0.52'), await pod('default', 'own', '10.42.0.22')];
  for (const [sandbox, address] of [
    [own, '10.42.0.52'],
    [other, '10.42.0.22'],
  ] as const) {
    t.match(await cni(n1, 'ADD', sandbox), { status: 0, result: { ips: [{ address: `${address}/24` }] } });
    t.equal(ping(n2, address), 63, `a pod has ${address} of its namespace's range`);
  }
  await pod('default', 'thief', '10.42.0.53');
  await pod('lab', 'thief', '10.42.0.23');
  const last = await cluster.pod(n1, 'after-thieves');
  t.match(await cni(n1, 'ADD', last.sandbox), { status: 0 }, 'a pod that asks for no address gets one');
  const ports = n1.must('ovn-nbctl', '--bare', '--columns=name', 'list', 'Logical_Switch_Port');
  t.match(ports, /^lab_own$/m);
  t.notMatch(ports, /thief/, 'a pod that asks for an address of another range gets no port');
  for (const [namespace, note] of [
    ['default', /asks for 10\.42\.0\.53, and pods of namespace default may ask for one of 10\.42\.0\.0\/27;/],
    ['lab', /asks for 10\.42\.0\.23, and pods of namespace lab may ask for one of 10\.42\.0\.32\/27;/],
  ] as const)
    t.match(await noteOf(server, namespace, 'AddressNotUsable'), note, `an Event of ${namespace} names its range`);
  for (const sandbox of [own, other, last.sandbox]) t.match(await cni(n1, 'DEL', sandbox), { status: 0 });
}

/** Waits for an Event with this reason in a namespace, and returns its note. */
async function noteOf(server: ApiServer, namespace: string, wanted: string): Promise<string> {
  for (;;) {
    const { body } = await server.call('GET', `/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
    const found = (body.items as readonly { reason: string; note: string }[]).find(({ reason }) => reason === wanted);
    if (found !== undefined) return found.note;
    await pause(100);
  }
}

/** Socket at which the plug-in reaches the daemon of its node. */
const socket = '/run/microshift-net/cni.sock';

/**
 * Tests the MTU of a pod in a cluster without tunnels between pods. The entry of the southbound database is written by
 * hand, while the daemon of the central node is stopped. The pod keeps its MTU when the cluster uses tunnels again.
 */
async function withoutTunnels(t: Test, central: Host, node: Host, sandboxOf: () => Sandbox): Promise<void> {
  const key = 'microshift-net-pod-mtu';
  central.must('ovn-sbctl', 'set', 'SB_Global', '.', `external_ids:${key}=1500`);
  let [sandbox, added] = [sandboxOf(), await cni(node, 'STATUS', sandboxOf())];
  // The daemon reads the entry at some moment.
  for (let attempt = 0; attempt < 100 && added.result?.interfaces?.[1].mtu !== 1500; attempt += 1) {
    if (attempt > 0) await cni(node, 'DEL', sandbox);
    sandbox = sandboxOf();
    added = await cni(node, 'ADD', sandbox);
  }
  t.match(added.result.interfaces, [{ mtu: 1500 }, { name: 'eth0', mtu: 1500 }]);
  const routes = inPod(node, sandbox).must('ip', 'route');
  t.match(routes, /^10\.42\.0\.0\/16 via 10\.42\.1\.1 dev eth0 *$/m, 'pods get packets of the whole MTU');
  t.match(routes, /^default via 10\.42\.1\.1 dev eth0 mtu 1442 *$/m, 'all others get packets that fit into tunnels');
  t.match(routes, /^10\.42\.1\.2 dev eth0 .*mtu 1442 *$/m);
  const wanted = { prevResult: added.result };
  t.match(await cni(node, 'CHECK', sandbox, wanted), { status: 0 });
  // The daemon creates the socket of the plug-in again when it has read another MTU.
  const made = node.must('stat', '-c', '%z', socket).trim();
  const isFormer = 'test ! -S "$1" || test "$(stat -c %z "$1")" = "$2"';
  central.must('ovn-sbctl', 'remove', 'SB_Global', '.', 'external_ids', key);
  node.must('timeout', '60', 'sh', '-c', `while ${isFormer}; do sleep 0.1; done`, 'sh', socket, made);
  t.match(await cni(node, 'CHECK', sandbox, wanted), { status: 0 }, 'the pod keeps its MTU');
  t.match(node.agent('overlay', 'verify').stdout, /1 pod of this node has another MTU than 1442/);
  t.match(await cni(node, 'DEL', sandbox), { status: 0 });
}

/** Tests that a forged annotation gives a pod no other address. */
async function forgedAnnotation(
  t: Test,
  cluster: CniCluster,
  [central, member]: readonly [Daemon, Daemon],
): Promise<void> {
  const { server, hosts } = cluster;
  const [n1, n2] = hosts;
  const { pod, sandbox } = await cluster.pod(n2, 'forged');
  const { status, result } = await cni(n2, 'ADD', sandbox);
  t.equal(status, 0);
  const address: string = result.ips[0].address;
  const plain = address.replace('/24', '');
  t.match(await cni(n2, 'DEL', sandbox), { status: 0 });

  // The daemon of the central node would overwrite the forged annotation at once.
  await central.stop();
  await withoutTunnels(t, n1, n2, () => makeSandbox(n2, sandboxId(), pod));
  const forged = { ip_addresses: ['10.42.1.99/24'], mac_address: '0a:58:0a:2a:01:63', gateway_ips: ['10.42.1.1'] };
  const annotations = { 'k8s.ovn.org/pod-networks': JSON.stringify({ default: forged }) };
  const path = `/api/v1/namespaces/default/pods/${pod.name}`;
  const merge = 'application/merge-patch+json';
  t.match(await server.call('PATCH', path, { metadata: { annotations } }, merge), { status: 200 });
  // A daemon that starts has read all pods before it answers.
  await member.stop();
  await startDaemon(n2);
  t.match(
    await cni(n2, 'ADD', makeSandbox(n2, sandboxId(), pod)),
    {
      status: 1,
      result: {
        code: 11,
        msg: `default_forged: the annotation of the pod has 0a:58:0a:2a:01:63 and 10.42.1.99, and OVN has ${macOf(plain)} and ${plain} for its port`,
        details: /docs\/use\/overlay-trust\.md/,
      },
    },
    'ADD refuses the forged annotation',
  );
  t.strictSame(ofPods(n2), [], 'no link and no port of the pod is left');

  // This attempt gets its veth pair while the annotation is forged, and continues when it has been written again.
  const late = makeSandbox(n2, sandboxId(), pod);
  const begun = cni(n2, 'ADD', late, {}, [], slowShim(n2));
  await linkExists(n2, late.id.slice(0, 15));

  await startDaemon(n1);
  const answers = [];
  let last = sandbox;
  // The test calls the plug-in as the kubelet does, with another sandbox for each attempt; the central node needs a
  // moment to write the annotation again.
  for (let tries = 0; tries < 50 && answers.at(-1)?.status !== 0; tries += 1) {
    last = makeSandbox(n2, sandboxId(), pod);
    answers.push(await cni(n2, 'ADD', last));
  }
  t.match(answers.at(-1), { status: 0, result: { ips: [{ address }] } }, 'a later try gives the address of OVN');
  t.strictSame(
    answers.slice(0, -1).filter(({ result }) => result.code !== 11),
    [],
    'every earlier attempt was refused with the same error code',
  );
  t.equal(ping(n1, plain), 63, 'another node reaches the pod at the address of OVN');
  n2.must('touch', continues);
  t.match(await begun, { status: 0, result: { ips: [{ address }] } }, 'an attempt that began before gives it as well');
  t.equal(ping(n1, plain), 63, 'another node reaches the pod, which has the MAC of OVN');
  for (const one of [late, last]) t.match(await cni(n2, 'DEL', one), { status: 0 });
}

/** File whose existence lets the program of slowShim() continue. */
const continues = '/run/continue-cni';

/** Creates a plug-in on a node that waits for the file `continues` after it has created the veth pair. */
function slowShim(host: Host): string {
  const file = `${shim}-slow`;
  const waiting = `  while [ ! -e ${continues} ]; do sleep 0.1; done\n  ask PLUG ||`;
  host.write(file, readFileSync('rpm/files/microshift-net-cni.sh', 'utf8').replace('  ask PLUG ||', waiting));
  host.must('chmod', '755', file);
  return file;
}

/** Waits until a node has a link with this name. */
async function linkExists(host: Host, name: string): Promise<void> {
  while (host.run(['test', '-e', `/sys/class/net/${name}/ifindex`]).status !== 0) await pause(100);
}

/** Tests requests that the plug-in refuses, and a node without ovn-controller. */
async function invalidRequests(t: Test, cluster: CniCluster): Promise<void> {
  const [n1] = cluster.hosts;
  const { sandbox } = await cluster.pod(n1, 'invalid');
  const refused = async (code: number, of: object, config: object, what: string): Promise<void> => {
    t.match(await cni(n1, 'ADD', { ...sandbox, ...of }, config), { status: 1, result: { code } }, what);
  };
  await refused(1, {}, { cniVersion: '2.0.0' }, 'a version of CNI that does not exist');
  await refused(4, { id: '../x' }, {}, 'an invalid id');
  await refused(4, { netns: '' }, {}, 'the request names no namespace');
  await refused(
    4,
    { netns: '/run/netns/a\nlink delete dev br-ex' },
    {},
    'a namespace that ip(8) would read as a command',
  );
  await refused(4, { args: '' }, {}, 'the request names no pod');
  await refused(7, {}, { prevResult: {} }, 'the request has the result of another plug-in');
  await refused(101, { netns: '/run/netns/absent' }, {}, 'a namespace that does not exist');
  await refused(101, { netns: '/etc/passwd' }, {}, 'a file that is not a namespace');
  t.strictSame(ofPods(n1), [], 'no link and no port of a pod is left');
  killProcess(n1, '/run/ovn/ovn-controller.pid');
  const msg = 'ovn-controller is absent';
  t.match(
    await cni(n1, 'STATUS', sandbox),
    { status: 1, result: { code: 51, msg } },
    'STATUS fails without ovn-controller',
  );
}
