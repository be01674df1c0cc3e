// Deployments, services, probes and policies on real kubelets with this agent as the network: which pods are reachable,
// and how many packets are lost.
import t from 'tap';
import { type Host, startCentral } from '../overlay/hosts.ts';
import { outside } from '../overlay/outside.ts';
import { ping } from '../overlay/ping.ts';
import { ofPods } from '../overlay/pods.ts';
import { programs } from './control-plane.ts';
import {
  type Asker,
  ask,
  client,
  deployment,
  inPod,
  nodePorts,
  onlyFrom,
  podsOf,
  startInPod,
  whoAnswers,
} from './deployments.ts';
import { type Cluster, startCluster } from './kubelet-cluster.ts';
import { kubeletSkip } from './kubelet-skip.ts';

const [tcpPort, udpPort] = [30080, 30053];
/** Option of kubectl with a limit that is far above the time that a pod needs on a busy machine. */
const patience = '--timeout=110s';
/** Limit in ms for changes that usually take effect after milliseconds. */
const settledMs = 60_000;

/**
 * Repeats a request until the answer matches, because a change in the API reaches the nodes later. Returns the last
 * answer.
 */
function until(answer: () => string, wanted: RegExp): string {
  const endMs = performance.now() + settledMs;
  for (;;) {
    const last = answer();
    if (wanted.test(last) || performance.now() > endMs) return last;
  }
}

/**
 * Returns the counts of packets that Open vSwitch of a node has dropped so far, with their reasons (ovs-appctl(8),
 * coverage/show). The userspace data path can also drop packets without a fault of the overlay.
 */
function droppedBy({ must }: Pick<Host, 'must'>): string {
  const lines = must('ovs-appctl', 'coverage/show').split('\n');
  const drops = lines.flatMap((line) => /^(\S*drop\S*)\s.*total: (\d+)/.exec(line)?.slice(1, 3).join(' ') ?? []);
  return drops.join(', ') || 'nothing';
}

/** Returns the answer of an address to a request of a host on the LAN. */
function fromLan({ outside: host }: Cluster, network: string, address: string): string {
  const { stdout, stderr } = host.run([`${programs}/in-pod`, 'ask', network, address]);
  return `${stdout}${stderr}`.trim();
}

t.test('Kubernetes on two nodes', { skip: kubeletSkip }, async (t) => {
  const cluster = await startCluster(t);
  const { kubectl, nodes } = cluster;
  const [first, second] = nodes;
  cluster.apply(deployment('web', 4), nodePorts('web', tcpPort, udpPort), client('ask1', 'n1'), client('ask2', 'n2'));
  kubectl('rollout', 'status', 'deployment/web', patience);
  for (const name of ['ask1', 'ask2']) kubectl('wait', '--for=condition=Ready', `pod/${name}`, patience);
  const service = kubectl('get', 'service', 'web', '-o', 'jsonpath={.spec.clusterIP}');
  const askerOf = (pod: string, { host }: Pick<Asker, 'host'>): Asker => {
    const [{ address = '' } = {}] = podsOf(cluster, pod);
    return { host, address };
  };
  const [ask1, ask2] = [askerOf('ask1', first), askerOf('ask2', second)];
  const pods = podsOf(cluster, 'web');
  const names = pods.map(({ name }) => name).toSorted();

  t.test('pods', async (t) => {
    t.strictSame(pods.map(({ node }) => node).toSorted(), ['n1', 'n1', 'n2', 'n2'], 'each node has two pods');
    for (const { node, name, address, annotations, restarts } of pods) {
      t.match(address, node === 'n1' ? /^10\.42\.0\./ : /^10\.42\.1\./, `${name} has an address of ${node}`);
      t.match(JSON.parse(annotations['k8s.ovn.org/pod-networks'] ?? '{}'), {
        default: { ip_address: `${address}/24` },
      });
      t.match(JSON.parse(annotations.ovn ?? '{}'), { ip_address: `${address}/24` });
      t.equal(restarts, 0, 'its probes succeed');
      for (const from of [ask1, ask2])
        t.match(
          ask(from, 'tcp', `${address}:8080`),
          new RegExp(`^${name} sees 10\\.42\\.`),
          `the pod answers ${from.address}`,
        );
    }
    const [near] = pods.filter(({ node }) => node === 'n1');
    t.equal(ping(second.host, near?.address ?? ''), 63, 'the other node reaches the pod over one router');
    t.match(first.host.must('ovn-nbctl', 'show'), new RegExp(`port default_${names[0]}\n`));
  });

  t.test('services', async (t) => {
    for (const from of [ask1, ask2]) {
      const answering = (network: 'tcp' | 'udp', port: number): readonly string[] =>
        whoAnswers(from, network, `${service}:${port}`, names.length);
      t.strictSame(answering('tcp', 80), names, `all pods answer ${from.address}`);
      t.strictSame(answering('udp', 53), names, 'all pods answer over UDP');
      for (const { host } of nodes)
        t.match(
          ask(from, 'tcp', `${host.address}:${tcpPort}`),
          /^web-.* sees /,
          `the NodePort at ${host.name} answers ${from.address}`,
        );
    }
    for (const { host } of nodes) {
      t.match(
        fromLan(cluster, 'tcp', `${host.address}:${tcpPort}`),
        /^web-.* sees 100\.64\.0\./,
        `a pod answers the LAN at ${host.name}`,
      );
      t.match(
        fromLan(cluster, 'udp', `${host.address}:${udpPort}`),
        /^web-.* sees 100\.64\.0\./,
        'a pod answers over UDP',
      );
    }
  });

  t.test('the API, and the LAN', async (t) => {
    for (const from of ['ask1', 'ask2']) {
      t.match(inPod(cluster, from, 'api'), /"gitVersion": "v1\./, `${from} reaches the API server by its service`);
      t.match(
        inPod(cluster, from, 'api', '192.0.2.11:6443'),
        /"gitVersion"/,
        `${from} reaches the API server at its node's address`,
      );
      t.match(
        inPod(cluster, from, 'api', '10.42.0.2:6443'),
        /"gitVersion"/,
        `${from} reaches the API server in the overlay`,
      );
    }
    cluster.outside.start(`${programs}/in-pod`, 'serve');
    const untilServed = `until ss -Hltn 'sport = :8080' | grep -q .; do sleep 0.05; done`;
    cluster.outside.must('timeout', '60', 'sh', '-c', untilServed);
    t.match(
      ask(ask1, 'tcp', `${outside}:8080`),
      /^outside sees 192\.0\.2\.11$/,
      'packets of the pod leave with the address of n1',
    );
    t.match(
      ask(ask2, 'tcp', `${outside}:8080`),
      /^outside sees 192\.0\.2\.12$/,
      'packets of the other pod leave with the address of n2',
    );
  });

  t.test('a policy, and a rolling update of its pods', async (t) => {
    const [pod] = podsOf(cluster, 'web').filter(({ isLeaving }) => !isLeaving);
    if (pod === undefined) throw new Error('no pod');
    cluster.apply(onlyFrom('ask1', 'web'));
    const blocked = /failed: .*(deadline exceeded|timeout)/s;
    const asked2 = (): string => ask(ask2, 'tcp', `${service}:80`);
    t.match(until(asked2, blocked), blocked, 'a pod that the policy does not name gets no answer');
    t.match(
      ask(ask2, 'tcp', `${pod.address}:8080`),
      blocked,
      'a pod that the policy does not name does not reach the pod directly',
    );
    t.match(ask(ask1, 'tcp', `${service}:80`), /^web-/, 'a pod that the policy names gets an answer');
    t.match(ask(ask1, 'udp', `${service}:53`), /failed: .*timeout/s, 'UDP is not permitted');
    const asking = await startInPod(cluster, 'ask1', 'poll', `${service}:80`);
    cluster.apply(deployment('web', 4, ' of release 2'));
    kubectl('rollout', 'status', 'deployment/web', patience);
    t.pass('the kubelet reaches new pods in spite of the policy');
    const answered = await asking.end();
    t.match(answered, /^[1-9]\d+ asked, 0 failed$/, `every request is answered during the update: ${answered}`);
    t.match(asked2(), blocked, 'the policy applies to the new pods');
    kubectl('delete', 'networkpolicy', 'only-ask1');
    t.match(until(asked2, /^web-/), / of release 2$/, 'without the policy, the new pods answer all');
  });

  t.test('crashes of daemons and nodes', async (t) => {
    const far = podsOf(cluster, 'web').find(({ node, isLeaving }) => node === 'n2' && !isLeaving);
    if (far === undefined) throw new Error('no pod');
    // The test waits until removed pods and their links are gone. After a change of a link, Open vSwitch reads the
    // kernel's routes again, and meanwhile drops packets of tunnels (route-table.c, name_table_change and
    // route_map_clear).
    for (const { name, isLeaving } of podsOf(cluster, 'web'))
      if (isLeaving) kubectl('wait', '--for=delete', `pod/${name}`, patience);
    first.host.must('ovn-nbctl', '--wait=hv', 'sync');
    const echoes = await startInPod(cluster, 'ask1', 'ping', far.address);
    const stream = await startInPod(cluster, 'ask1', 'follow', `${far.address}:8081`);
    const still = async (what: string): Promise<void> => {
      t.equal(await stream.say(what), what, `the stream continues ${what}`);
    };
    await still('before');
    for (const { host, daemon } of nodes) host.must('kill', '-KILL', String(daemon.pid));
    await still('after a kill of both daemons of the overlay');
    const { host } = first;
    for (const name of ['ovn-northd', 'ovnnb_db', 'ovnsb_db'])
      host.must('sh', '-c', 'kill -KILL "$(cat "$1")"', 'sh', `/run/ovn/${name}.pid`);
    await still('without OVN on the central node');
    startCentral(host);
    for (const node of nodes) await node.startDaemon();
    await still('with OVN and the daemons again');
    // On a busy machine, the kubelet may replace containers after a restart of the runtime, so the test ends the stream
    // before the restart.
    second.kill('containerd');
    await still('without a container runtime');
    const answered = await echoes.end();
    const why = nodes.map(({ host }) => `${host.name} ${droppedBy(host)}`).join('; ');
    t.match(answered, /^[1-9]\d+ asked, 0 lost$/, `no echo is lost: ${answered}; dropped by the data path: ${why}`);
    await stream.end();
    // Kubernetes deletes the pods of a node that has had no runtime for half a minute, so the runtime starts again.
    second.startRuntime();
    for (const { host } of nodes)
      t.match(host.agent('overlay', 'verify'), { status: 0 }, `${host.name} is in the desired state`);
    kubectl('wait', '--for=condition=Ready', 'node/n2', patience);
    const asked = (): string => inPod(cluster, 'ask2', 'ask', 'tcp', `${service}:80`);
    t.match(until(asked, /^web-/), /^web-/, 'pods of the second node reach the service');
  });

  t.test('a node of Kubernetes that has not joined the overlay', async (t) => {
    const status = (): string => first.host.agent('overlay', 'status').stdout;
    const both = /: 2 Node, (?!.*not in the overlay)/;
    t.match(status(), both);
    cluster.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n9' } });
    t.match(
      until(status, /not in the overlay: n9;/),
      /: 3 Node, .*; not in the overlay: n9; their pods get no network/,
    );
    kubectl('delete', 'node', 'n9');
    t.match(until(status, both), both, 'a deleted Node is no longer named');
  });

  t.test('a node that is drained', async (t) => {
    const asking = await startInPod(cluster, 'ask1', 'poll', `${service}:80`);
    kubectl('drain', 'n2', '--force', patience);
    kubectl('rollout', 'status', 'deployment/web', patience);
    const answered = await asking.end();
    t.match(answered, /^[1-9]\d+ asked, 0 failed$/, `every request is answered during the drain: ${answered}`);
    t.strictSame([...new Set(podsOf(cluster, 'web').map(({ node }) => node))], ['n1']);
    t.strictSame(ofPods(second.host), [], 'no link and no port of a pod is left on the second node');
    kubectl('uncordon', 'n2');
    const taints = (): string => kubectl('get', 'node', 'n2', '-o', 'jsonpath={.spec.taints}');
    t.equal(until(taints, /^$/), '', 'the second node accepts pods');
    kubectl('scale', 'deployment/web', '--replicas=6');
    kubectl('rollout', 'status', 'deployment/web', patience);
    const [back] = podsOf(cluster, 'web').filter(({ node }) => node === 'n2');
    t.match(
      ask(ask1, 'tcp', `${back?.address}:8080`),
      new RegExp(`^${back?.name} sees 10\\.42\\.`),
      'new pods start on a node whose daemon and runtime have crashed',
    );
  });

  t.test('a node that loses power', async (t) => {
    await second.cutPower();
    kubectl('wait', '--for=condition=Ready=Unknown', 'node/n2', patience);
    kubectl('wait', '--for=jsonpath={.status.availableReplicas}=6', 'deployment/web', patience);
    const left = podsOf(cluster, 'web').filter(({ isLeaving }) => !isLeaving);
    t.strictSame([...new Set(left.map(({ node }) => node))], ['n1'], 'all pods are on the other node');
    t.match(ask(ask1, 'tcp', `${service}:80`), /^web-/);
    t.match(fromLan(cluster, 'tcp', `${first.host.address}:${tcpPort}`), /^web-/, 'the service answers the LAN');
  });

  t.test('nothing is left', async (t) => {
    kubectl('delete', 'deployment/web');
    kubectl('delete', 'pod', '-l', 'app=web', '--force');
    const refused = until(() => ask(ask1, 'tcp', `${service}:80`), /refused/);
    t.match(refused, /refused/, 'a service without pods rejects');
    kubectl('delete', 'service/web');
    kubectl('delete', 'pod', 'ask1');
    kubectl('delete', 'pod', '--all', '--force');
    const kept = (): string => ofPods(first.host).join();
    t.equal(until(kept, /^$/), '', 'the node has neither a port nor a link of a pod');
    const ports = (): string => `${first.host.must('ovn-nbctl', 'show').match(/port default_.*/g)}`;
    t.equal(until(ports, /null/), 'null', 'no logical port of the pod is left');
  });
});
