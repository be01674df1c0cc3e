// make demo-cluster: a real Kubernetes on two nodes with this agent as its network, with a deployment, its service, a
// policy, and a node that loses power. With KEEP=1, it opens a shell with kubectl on the first node at the end.
import { spawnSync } from 'node:child_process';
import { type Drawn, picture } from '../node/overlay-picture.ts';
import { heading, indent, ms, say } from '../node/telling.ts';
import type { Host } from '../overlay/hosts.ts';
import { adminKubeconfig, programs } from './control-plane.ts';
import { client, deployment, nodePorts, onlyFrom, podsOf } from './deployments.ts';
import { type Cluster, type Scope, startCluster } from './kubelet-cluster.ts';
import { kubeletSkip } from './kubelet-skip.ts';

const nodePort = 30080;

/** Runs a command on a host, and prints it with its output as a terminal would show them. */
function show({ name, run }: Host, shown: string, words: readonly string[], expected: readonly number[] = [0]): void {
  const started = performance.now();
  const { status, stdout, stderr } = run(words);
  say(`${name}$ ${shown}`);
  say(indent(`${stderr}${stdout}`));
  if (status === null || !expected.includes(status))
    throw new Error(`exit code ${status}, not ${expected.join(' or ')}`);
  say(`  (${ms(performance.now() - started)})`);
}

async function main(scope: Scope): Promise<void> {
  heading('Two nodes on one LAN: OVN between them, and on each containerd and a kubelet; the API server on the first');
  const cluster = await startCluster(scope);
  const { nodes, outside } = cluster;
  const [{ host: first }, second] = nodes;
  kubectl(cluster, 'get', 'nodes', '-o', 'wide');
  draw(first);

  heading('A deployment with a service');
  cluster.apply(
    deployment('web', 4),
    nodePorts('web', nodePort, 30053),
    client('friend', 'n1'),
    client('stranger', 'n2'),
  );
  kubectl(cluster, 'rollout', 'status', 'deployment/web', '--timeout=90s');
  for (const name of ['friend', 'stranger'])
    cluster.kubectl('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=90s');
  kubectl(cluster, 'get', 'pods', '-o', 'wide');
  kubectl(cluster, 'get', 'services');

  heading('Pods ask the service; the LAN asks each node for its port');
  const address = `${cluster.kubectl('get', 'service', 'web', '-o', 'jsonpath={.spec.clusterIP}')}:80`;
  for (const name of ['friend', 'stranger']) ask(cluster, name, address);
  for (const { host } of nodes) fromLan(outside, host);

  heading('A policy: only friend may send requests');
  cluster.apply(onlyFrom('friend', 'web'));
  ask(cluster, 'friend', address);
  const [pod] = podsOf(cluster, 'web').filter(({ node }) => node === 'n1');
  if (pod === undefined) throw new Error('no pod on n1');
  const trace = (from: string, expected: readonly number[]): void => {
    const words = ['overlay', 'trace', `default/${from}`, `default/${pod.name}`, '--tcp', '8080'];
    show(
      first,
      `microshift-net ${words.join(' ')}`,
      [process.execPath, '/opt/program/microshift-net', ...words],
      expected,
    );
  };
  trace('friend', [0]);
  trace('stranger', [3]);
  ask(cluster, 'stranger', address, 1);

  heading("One node's power is cut");
  await second.cutPower();
  cluster.kubectl('wait', '--for=condition=Ready=Unknown', 'node/n2', '--timeout=90s');
  cluster.kubectl('wait', '--for=jsonpath={.status.availableReplicas}=4', 'deployment/web', '--timeout=90s');
  kubectl(cluster, 'get', 'nodes');
  kubectl(cluster, 'get', 'pods', '-o', 'wide');
  ask(cluster, 'friend', address);
  const verify = ['overlay', 'verify'];
  show(first, 'microshift-net overlay verify', [process.execPath, '/opt/program/microshift-net', ...verify], [0, 3]);
  draw(first);
  if (process.env.KEEP === '1') shell(first);
}

/** Runs a shell for a person until the person leaves it. */
function shell({ pid }: Host): void {
  heading('A shell on the first node; leave it with "exit"');
  const environment = [`PATH=${programs}:/usr/sbin:/usr/bin`, `KUBECONFIG=${adminKubeconfig}`];
  const words = ['-t', String(pid), '-m', '-n', '-u', '-p', '-r', '-w', 'env', ...environment, 'bash'];
  spawnSync('nsenter', words, { stdio: 'inherit' });
}

function kubectl({ nodes: [{ host }], kubectlWords }: Cluster, ...words: readonly string[]): void {
  show(host, `kubectl ${words.join(' ')}`, kubectlWords(words));
}

function ask({ nodes: [{ host }], kubectlWords }: Cluster, pod: string, address: string, expected = 0): void {
  const words = ['exec', pod, '--', '/in-pod', 'ask', 'tcp', address];
  show(host, `kubectl ${words.join(' ')}`, kubectlWords(words), [expected]);
}

function fromLan(outside: Host, { address }: Host): void {
  const words = [`${programs}/in-pod`, 'ask', 'tcp', `${address}:${nodePort}`];
  // The pods can be ready up to a second before the node forwards the port.
  outside.must('timeout', '30', 'sh', '-c', 'until "$@" > /dev/null 2>&1; do sleep 0.1; done', 'sh', ...words);
  show(outside, `in-pod ask tcp ${address}:${nodePort}`, words);
}

/** Prints nodes, subnets, tunnels and gateways, as the central node has them. */
function draw(central: Host): void {
  const { nodes }: { nodes: Drawn[] } = JSON.parse(central.agent('overlay', 'nodes', '--output', 'json').stdout);
  say(picture(nodes));
}

if (kubeletSkip !== false) throw new Error(kubeletSkip);
const undos: (() => void | Promise<void>)[] = [];
try {
  await main({ teardown: (undo) => undos.push(undo), tell: () => undefined });
} finally {
  for (const undo of undos.toReversed()) await undo();
}
