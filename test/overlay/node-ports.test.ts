// Load balancers that claim addresses and ports of nodes: the node's own processes, SSH and the databases stay
// reachable, whatever the rows contain.
import t, { type Test } from 'tap';
import { hasProgram } from '../cluster/binaries.ts';
import { startDaemon } from './daemon.ts';
import { configure, form } from './form.ts';
import { type Host, killProcess, missingForHosts, startLan } from './hosts.ts';
import { ask, askUntil } from './one-request.ts';
import { ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { balance, serve, startPod } from './services.ts';
import { talk } from './talk.ts';

const skip = missingForHosts() ?? (hasProgram('nft', '--version') ? false : 'nft is missing');

/** Port of an API server on another host, and path of the node's kubeconfig. */
const [apiPort, kubeconfig] = [7443, '/etc/microshift/kubeconfig'];

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'one', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'one', user: { token: 'none' } }],
    contexts: [{ name: 'one', context: { cluster: 'one', user: 'one' } }],
    'current-context': 'one',
  });
}

/** Answer of a process that listens on a node itself. */
const own = 'the node';

/** Starts a program that listens at a port of every address until it is stopped. */
async function listen(host: Host, port: number): Promise<{ end(): void }> {
  const script = `require('net').createServer((socket) => socket.on('error', () => {}).end('${own}')).listen(${port}, '0.0.0.0', () => console.log(process.pid));`;
  const child = host.start(process.execPath, '-e', script);
  const pid = await new Promise<string>((resolve) =>
    child.stdout?.once('data', (text) => resolve(String(text).trim())),
  );
  return { end: () => void host.must('kill', pid) };
}

t.test('a node keeps its ports', { skip }, async (t) => {
  for (const which of ovnsHere()) await t.test(`OVN: ${which}`, (t) => keepsPorts(t, which));
});

async function keepsPorts(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2, client] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('client', 50)];
  for (const host of [n1, n2, client]) host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8');
  form(t, [n1, n2]);
  for (const host of [n1, n2]) t.match(host.agent('overlay', 'gateway', '--next-hop', '192.0.2.254'), { status: 0 });
  n1.agent('overlay', 'apply');
  const far = await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64');
  await serve(n2);
  const [daemon] = [await startDaemon(n2), await startDaemon(n1)];
  const lasting = await talk(client, n2, n2.address);
  t.equal(await lasting.say('before'), 'before');

  const at = (address: string, ports: readonly number[]): Readonly<Record<string, string>> =>
    Object.fromEntries(ports.map((port) => [`${address}:${port}`, `${far.address}:8080`]));
  const ofCluster = '100.64.0.3';
  const taken = {
    '10.43.0.80:80': `${far.address}:8080`,
    ...at(n2.address, [22, 80, 4000, 5000, 6443, 8080, 10250, 30080]),
    ...at(n1.address, [22, 80, 6641, 6642]),
    '127.0.0.1:4000': `${far.address}:8080`,
  };
  // With `none`, the gateway does not answer ARP for the other node's address. An answer would be another fault, and
  // would interrupt the tunnels.
  balance(n1, 'taking', 'tcp', taken, 'none');
  balance(n1, 'taking-datagrams', 'udp', at(n2.address, [6081, 4789]), 'none');
  t.equal(ask(client, 'tcp', n2.address, 30080), ofCluster, 'a NodePort is served by a pod behind the tunnel');
  t.equal(ask(client, 'tcp', n2.address, 80), ofCluster, 'a port that ovn.yaml lists is redirected');
  t.equal(await lasting.say('while'), 'while', 'an open connection to the node continues');
  t.equal(ask(client, 'tcp', n2.address, 8080), client.address, 'a process of the node is reached from the LAN');
  t.equal(ask(n2, 'tcp', n2.address, 8080), n2.address, 'the node itself reaches its own port');
  const ssh = await listen(n2, 22);
  t.equal(ask(client, 'tcp', n2.address, 22), own, 'SSH that is started later is reached at once');
  t.equal(ask(n2, 'tcp', n2.address, 22), own, 'the node itself reaches its own SSH');
  ssh.end();
  for (const [port, name] of [
    [6443, 'the API server'],
    [10250, 'the kubelet'],
  ] as const) {
    const needed = await listen(n2, port);
    t.equal(ask(client, 'tcp', n2.address, port), own, `${name} is reached from the LAN`);
    t.equal(ask(n2, 'tcp', n2.address, port), own, `the node itself reaches ${name}`);
    needed.end();
  }
  const free = await listen(n2, 5000);
  t.equal(ask(client, 'tcp', n2.address, 5000), own, 'a port that ovn.yaml does not list remains a port of the node');
  free.end();
  n2.must('sh', '-c', 'kill $(cat /run/ovn/ovn-controller.pid); pidwait -F /run/ovn/ovn-controller.pid || true');
  n2.must(
    'ovn-controller',
    'unix:/run/openvswitch/db.sock',
    '-vconsole:off',
    '-vsyslog:off',
    '--detach',
    '--no-chdir',
    '--pidfile',
    '--log-file',
  );
  t.match(
    n2.agent('overlay', 'apply'),
    { status: 0 },
    'ovn-controller reaches the southbound database by a new connection',
  );

  const web = await listen(n2, 80);
  t.equal(askUntil(client, n2.address, 80, own), own, 'a process that begins to listen gets its port back');
  t.equal(ask(n2, 'tcp', n2.address, 80), own, 'the node itself reaches its own process');
  web.end();
  t.equal(askUntil(client, n2.address, 80, ofCluster), ofCluster, 'the service answers after the process has ended');

  await daemon.stop();
  const atApi = async (): Promise<string> => {
    t.match(n2.agent('overlay', 'apply'), { status: 0 });
    return ask(n2, 'tcp', client.address, apiPort);
  };
  const api = await listen(client, apiPort);
  balance(n1, 'taking-the-api', 'tcp', at(client.address, [apiPort]), 'none');
  t.equal(await atApi(), '10.42.1.2', 'a service has the address and port of a server outside');
  n2.write(kubeconfig, kubeconfigOf(`https://${client.address}:${apiPort}`));
  configure(n2, { kubeconfig });
  t.equal(await atApi(), own, 'the node itself reaches the API server of its kubeconfig');
  api.end();

  killProcess(n1, '/run/ovn/ovnsb_db.pid');
  n2.write(
    '/run/microshift-net/overlay-services.json',
    `${JSON.stringify([
      {
        protocol: 'tcp',
        address: n2.address,
        port: 8080,
        target: { address: '10.43.0.80', port: 80 },
        isServedHere: false,
      },
    ])}\n`,
  );
  n2.agent('overlay', 'apply');
  t.equal(ask(client, 'tcp', n2.address, 8080), client.address, 'a stored service of the last run takes no port');
}
