// A further address of a node, which services request as their own. The node keeps its ports at this address, and
// answers for the address to the LAN, to itself and to pods.
import t from 'tap';
import { hasProgram } from '../cluster/binaries.ts';
import { apiServerFor } from '../cluster/session.ts';
import { sandboxId } from './cni-cluster.ts';
import { startDaemon } from './daemon.ts';
import { form } from './form.ts';
import { type Host, startLan } from './hosts.ts';
import { answeringMacs } from './neighbours.ts';
import { oneOvn } from './ovn-of-nodes.ts';
import { cni, createPod, inPod, installShim, makeSandbox, missingForPods } from './pods.ts';
import { offerApi } from './relay.ts';
import { ask, askUntil } from './services.ts';
import { talk } from './talk.ts';

const skip = missingForPods() ?? (hasProgram('nft', '--version') ? false : 'nft is missing');
/** Further addresses of n2: one on br-ex, and one on another NIC. */
const [second, elsewhere] = ['192.0.2.112', '203.0.113.12'];

/** Starts a program that answers TCP at a port of every address with these words. */
async function answer(on: Pick<Host, 'start'>, port: number, words: string): Promise<void> {
  const script = `require('net').createServer((socket) => socket.on('error', () => {}).end('${words}')).listen(${port}, '0.0.0.0', () => console.log('listening'));`;
  const child = on.start(process.execPath, '-e', script);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
}

t.test('further addresses of a node', { skip }, async (t) => {
  const server = await apiServerFor(t);
  if (server === null) return;
  const lan = await startLan(t, oneOvn());
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12, ['eth1'])];
  const client = await lan.host('client', 50);
  for (const host of [n1, n2, client]) host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8');
  await offerApi(t, server, [n1, n2], { externalIPRanges: '192.0.2.96/27' });
  for (const host of [n1, n2]) installShim(host);
  form(t, [n1, n2]);
  for (const host of [n1, n2]) t.match(host.agent('overlay', 'gateway', '--next-hop', '192.0.2.254'), { status: 0 });
  for (const host of [n1, n2]) await startDaemon(host);
  n2.must('ip', 'address', 'add', `${second}/24`, 'dev', 'br-ex');
  n2.must('ip', 'address', 'add', `${elsewhere}/24`, 'dev', 'eth1');
  await answer(n2, 22, 'the node');
  const lasting = await talk(client, n2, second);
  t.equal(await lasting.say('before'), 'before');

  await server.call('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  const startPod = async (name: string) => {
    const sandbox = makeSandbox(n1, sandboxId(), await createPod(server, 'n1', name));
    const { status, result } = await cni(n1, 'ADD', sandbox);
    t.equal(status, 0, `pod ${name}`);
    return { ...inPod(n1, sandbox), address: result.ips[0].address.replace('/24', '') as string };
  };
  const [thief, asker] = [await startPod('thief'), await startPod('asker')];
  await answer(thief, 8080, 'the thief');
  const publish = async (name: string, spec: object, ingress: readonly string[]): Promise<void> => {
    const ports = [22, 80].map((port) => ({ name: `p${port}`, port, protocol: 'TCP', targetPort: 8080 }));
    const path = '/api/v1/namespaces/default/services';
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ...spec, ports } };
    t.match(await server.call('POST', path, service), { status: 201 });
    const status = { loadBalancer: { ingress: ingress.map((ip) => ({ ip })) } };
    const merge = 'application/merge-patch+json';
    if (ingress.length > 0)
      t.match(await server.call('PATCH', `${path}/${name}/status`, { status }, merge), { status: 200 });
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: ports.map((port) => ({ name: port.name, port: 8080, protocol: 'TCP' })),
      endpoints: [{ addresses: [thief.address], nodeName: 'n1', conditions: { ready: true } }],
    };
    const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
    t.match(await server.call('POST', slices, slice), { status: 201 });
  };
  await publish('taking', { type: 'LoadBalancer' }, [second, elsewhere]);
  t.equal(askUntil(asker, second, 80, 'the thief'), 'the thief', 'a service is served at a port that ovn.yaml lists');
  t.equal(askUntil(client, second, 80, 'the thief'), 'the thief', 'the service is also served to the LAN');
  t.equal(askUntil(asker, second, 22, 'the node'), 'the node', 'port 22 of the address remains the port of the node');
  // n1 is the first gateway, so it would announce an external address, even one that belongs to n2.
  await publish('outside', { externalIPs: [second] }, []);
  const notesOf = async (): Promise<string> => {
    const { body } = await server.call('GET', '/apis/events.k8s.io/v1/namespaces/default/events');
    return (body.items as readonly { reason: string; note: string; regarding: { name: string } }[])
      .filter(({ reason }) => reason === 'NotServed')
      .map(({ note, regarding }) => `${regarding.name}: ${note}`)
      .join('\n');
  };
  while (!/^outside: /m.test(await notesOf())) n1.must('sleep', '0.2');
  const notes = await notesOf();
  t.match(notes, /^outside: 192\.0\.2\.112 port 22.* it is an address of node n2, which externalIPs cannot have/m);
  t.match(notes, /^taking: .*203\.0\.113\.12 port 22 is not served: node n2 needs port 22 itself/m);
  for (const [from, name] of [
    [asker, 'a pod'],
    [client, 'the LAN'],
    [n2, 'the node itself'],
  ] as const)
    t.equal(ask(from, 'tcp', second, 22), 'the node', `SSH is reached from ${name}`);
  t.equal(await lasting.say('while'), 'while', 'an open connection to the node continues');
  t.equal(ask(n2, 'tcp', elsewhere, 22), 'the node', 'SSH is reached at the address of the other NIC');
  t.strictSame(
    answeringMacs(client, second),
    [n2.must('cat', '/sys/class/net/br-ex/address').trim()],
    'only the node answers for its address',
  );
  const vips = n1.must('ovn-nbctl', '--bare', '--columns=vips', 'list', 'Load_Balancer');
  t.match(vips, new RegExp(`${elsewhere}:80`), 'the address of the other NIC is served at port 80');
  t.notMatch(vips, /(192\.0\.2\.112|203\.0\.113\.12):22\b/, 'no address is served at the port of SSH');

  n2.must('ip', 'address', 'delete', `${second}/24`, 'dev', 'br-ex');
  t.equal(
    askUntil(asker, second, 22, 'the thief'),
    'the thief',
    'the service gets port 22 when no node has the address',
  );
  n2.must('ip', 'address', 'add', `${second}/24`, 'dev', 'br-ex');
  t.equal(
    askUntil(asker, second, 22, 'the node'),
    'the node',
    'the node gets port 22 again when it has the address again',
  );
});
