// Addresses of services on a LAN with two gateways, in packets with each release of OVN. A further address of a node,
// which services request as their own: the node keeps its ports at this address, and answers for the address to the
// LAN, to itself and to pods. External addresses: the gateway that answers for each, before and after a gateway fails.
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import type { ApiServer } from '../cluster/api-server.ts';
import { hasProgram } from '../cluster/binaries.ts';
import { apiServerFor } from '../cluster/session.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import { flowAppears, flowDisappears } from './flow-appears.ts';
import { dualStack, form } from './form.ts';
import { type Host, killProcess, missingForHosts, startLan } from './hosts.ts';
import { answeringMacs, macOf, sixOf } from './neighbours.ts';
import { ask, askUntil } from './one-request.ts';
import { ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { offerApi } from './relay.ts';
import { type Pod, startPod } from './services.ts';
import { talk } from './talk.ts';

const skip = missingForHosts() ?? (hasProgram('nft', '--version') ? false : 'nft is missing');
const services = '/api/v1/namespaces/default/services';
const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const events = '/apis/events.k8s.io/v1/namespaces/default/events';
const [external, external6] = ['192.0.2.200', '2001:db8::200'];

/** Further addresses of n3: one on br-ex, and one on another NIC. */
const [second, elsewhere] = ['192.0.2.113', '203.0.113.13'];

/** Starts a program that answers TCP at a port of every address with these words. */
async function answer(on: Pick<Host, 'start'>, port: number, words: string): Promise<void> {
  const script = `require('net').createServer((socket) => socket.on('error', () => {}).end('${words}')).listen(${port}, '0.0.0.0', () => console.log('listening'));`;
  const child = on.start(process.execPath, '-e', script);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
}

/** Creates a service of type NodePort with external addresses, and its endpoints on n1. */
async function publish(server: ApiServer): Promise<void> {
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: {
      type: 'NodePort',
      ipFamilyPolicy: 'RequireDualStack',
      clusterIP: '10.43.0.80',
      clusterIPs: ['10.43.0.80', 'fd02::80'],
      externalIPs: [external, external6],
      ports: [
        { name: 'web', port: 80, protocol: 'TCP', targetPort: 8080, nodePort: 30080 },
        { name: 'lasting', port: 4000, protocol: 'TCP', targetPort: 4000 },
        { name: 'datagrams', port: 4000, protocol: 'UDP', targetPort: 4000 },
      ],
    },
  };
  const slice = (name: string, addressType: string, address: string) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, labels: { 'kubernetes.io/service-name': 'web' } },
    addressType,
    ports: [
      { name: 'web', port: 8080, protocol: 'TCP' },
      { name: 'lasting', port: 4000, protocol: 'TCP' },
      { name: 'datagrams', port: 4000, protocol: 'UDP' },
    ],
    endpoints: [{ addresses: [address], nodeName: 'n1', conditions: { ready: true } }],
  });
  for (const [path, object] of [
    [services, service],
    [slices, slice('web', 'IPv4', '10.42.0.9')],
    [slices, slice('web-six', 'IPv6', 'fd01::9')],
  ] as const) {
    const { status, body } = await server.call('POST', path, object);
    if (status !== 201) throw new Error(`${path}: ${JSON.stringify(body)}`);
  }
}

/** Removes services with their endpoints, and all Events. */
async function withdraw(server: ApiServer, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    for (const path of [`${services}/${name}`, `${slices}/${name}`]) await server.call('DELETE', path);
  await server.call('DELETE', events);
}

/** Makes one connection from one port, with all retransmissions of the kernel; returns the answer or the error. */
function connectOnce(from: Host, address: string, localPort: number): string {
  const script = `
    const socket = require('net').connect({ port: 80, host: '${address}', localPort: ${localPort} });
    socket.on('data', (answer) => { console.log(String(answer)); process.exit(); });
    socket.on('error', ({ code }) => { console.log(code); process.exit(); });
    setTimeout(() => { console.log('no answer'); process.exit(); }, 110000);`;
  return from.must(process.execPath, '-e', script).trim();
}

/**
 * Runs ip-monitor(8) on the neighbour table of a host. Of the returned promises, `listening` settles when the program
 * has started, and `both` when it has reported this MAC for each of these addresses.
 */
function announcements(host: Host, mac: string, addresses: readonly string[]) {
  const monitor = host.start('sh', '-c', 'ip monitor neigh dev br-ex & echo listening; wait');
  let said = '';
  const has = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${host.name}: no announcement in:\n${said}`)), 100_000);
      const look = (): void => {
        if (!isSo()) return;
        clearTimeout(late);
        resolve();
      };
      monitor.stdout?.on('data', (text) => {
        said += text;
        look();
      });
    });
  return {
    listening: has(() => said.includes('listening')),
    both: has(() => addresses.every((address) => said.includes(`${address} lladdr ${mac} `))),
  };
}

/**
 * Connects from a pod to a host until a connection leaves by this gateway, and closes connections by other gateways.
 * Returns a function that sends a byte and returns the code of the error with which the connection ends.
 */
async function connectBy(pod: Pod, to: Host, gateway: string): Promise<() => Promise<string>> {
  const server = `require('net').createServer((socket) => socket.on('error', () => {}).write(socket.remoteAddress)).listen(4001, '${to.address}', () => console.log('ready'));`;
  await once(to.start(process.execPath, '-e', server).stdout as Readable, 'data');
  const client = `
    const attempt = () => {
      const socket = require('net').connect(4001, '${to.address}');
      socket.once('data', (seen) => {
        if (String(seen) !== '${gateway}') return attempt(socket.destroy());
        console.log('ready');
        socket.on('error', ({ code }) => console.log(code));
        process.stdin.on('data', (text) => socket.write(text));
      });
      socket.on('error', () => {});
    };
    attempt();`;
  const child = pod.start(process.execPath, '-e', client);
  await once(child.stdout as Readable, 'data');
  return async () => {
    child.stdin?.write('?');
    return String(await once(child.stdout as Readable, 'data')).trim();
  };
}

interface Bed {
  readonly server: ApiServer;
  readonly n1: Host;
  /** Gateways. */
  readonly n2: Host;
  readonly n3: Host;
  readonly client: Host;
  /** Pods of n1 and n2. */
  readonly pods: readonly [Pod, Pod];
  /** Daemon of n2. */
  readonly daemon: Daemon;
}

t.test('addresses of services', { skip }, async (t) => {
  const server = await apiServerFor(t, ['--service-cluster-ip-range=10.43.0.0/16,fd02::/112']);
  if (server === null) return;
  for (const which of ovnsHere())
    await t.test(`OVN: ${which}`, async (t) => {
      const bed = await startBed(t, server, which);
      await t.test('further addresses', (t) => furtherAddresses(t, bed));
      await withdraw(server, 'taking', 'outside');
      await t.test('external addresses', (t) => externalAddresses(t, bed));
      await withdraw(server, 'web', 'web-six');
    });
});

async function startBed(t: Test, server: ApiServer, which: WhichOvn): Promise<Bed> {
  const lan = await startLan(t, which);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  const [n3, client] = [await lan.host('n3', 13, ['eth1']), await lan.host('client', 50)];
  for (const host of [n1, n2, n3, client]) {
    // These settings keep the kernel from answering ARP and neighbour discovery on the NIC. With the kernel's data
    // path, the kernel does not answer on a NIC that is a port. On all other interfaces it answers.
    host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8', 'net.ipv6.conf.eth0.disable_ipv6=1');
    host.must('ip', 'address', 'add', `${sixOf(host)}/64`, 'dev', 'br-ex', 'nodad');
  }
  const ranges = '192.0.2.96/27,192.0.2.192/27,2001:db8::200/119';
  await offerApi(t, server, [n1, n2, n3], { ...dualStack, externalIPRanges: ranges });
  form(t, [n1, n2, n3], { n2: ['--gateway', sixOf(n2)], n3: ['--gateway', sixOf(n3)] });
  for (const host of [n2, n3])
    t.match(host.agent('overlay', 'gateway', '--next-hop', '192.0.2.254,2001:db8::fe'), { status: 0 });
  await startDaemon(n1);
  const [daemon] = [await startDaemon(n2), await startDaemon(n3)];
  const pods = [
    await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64'),
    await startPod(n1, n2, '10.42.1.0/24', 'fd01:0:0:1::/64'),
  ] as const;
  return { server, n1, n2, n3, client, pods, daemon };
}

async function furtherAddresses(t: Test, { server, n1, n3, client, pods }: Bed): Promise<void> {
  const [thief, asker] = pods;
  n3.must('ip', 'address', 'add', `${second}/24`, 'dev', 'br-ex');
  n3.must('ip', 'address', 'add', `${elsewhere}/24`, 'dev', 'eth1');
  await answer(n3, 22, 'the node');
  await answer(thief, 8081, 'the thief');
  const lasting = await talk(client, n3, second);
  t.equal(await lasting.say('before'), 'before');
  const claim = async (name: string, spec: object, ingress: readonly string[]): Promise<void> => {
    const ports = [22, 80].map((port) => ({ name: `p${port}`, port, protocol: 'TCP', targetPort: 8081 }));
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ...spec, ports } };
    t.match(await server.call('POST', services, service), { status: 201 });
    const status = { loadBalancer: { ingress: ingress.map((ip) => ({ ip })) } };
    const merge = 'application/merge-patch+json';
    if (ingress.length > 0)
      t.match(await server.call('PATCH', `${services}/${name}/status`, { status }, merge), { status: 200 });
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: ports.map((port) => ({ name: port.name, port: 8081, protocol: 'TCP' })),
      endpoints: [{ addresses: [thief.address], nodeName: 'n1', conditions: { ready: true } }],
    };
    t.match(await server.call('POST', slices, slice), { status: 201 });
  };
  await claim('taking', { type: 'LoadBalancer' }, [second, elsewhere]);
  t.equal(askUntil(asker, second, 80, 'the thief'), 'the thief', 'a service is served at a port that ovn.yaml lists');
  t.equal(askUntil(client, second, 80, 'the thief'), 'the thief', 'the service is also served to the LAN');
  t.equal(askUntil(asker, second, 22, 'the node'), 'the node', 'port 22 of the address remains the port of the node');
  // n2 is the first gateway, so it would announce an external address, even one that belongs to n3.
  await claim('outside', { externalIPs: [second] }, []);
  const notesOf = async (): Promise<string> => {
    const { body } = await server.call('GET', events);
    return (body.items as readonly { reason: string; note: string; regarding: { name: string } }[])
      .filter(({ reason }) => reason === 'NotServed')
      .map(({ note, regarding }) => `${regarding.name}: ${note}`)
      .join('\n');
  };
  while (!/^outside: /m.test(await notesOf())) n1.must('sleep', '0.2');
  const notes = await notesOf();
  t.match(notes, /^outside: 192\.0\.2\.113 port 22.* it is an address of node n3, which externalIPs cannot have/m);
  t.match(notes, /^taking: .*203\.0\.113\.13 port 22 is not served: node n3 needs port 22 itself/m);
  for (const [from, name] of [
    [asker, 'a pod'],
    [client, 'the LAN'],
    [n3, 'the node itself'],
  ] as const)
    t.equal(ask(from, 'tcp', second, 22), 'the node', `SSH is reached from ${name}`);
  t.equal(await lasting.say('while'), 'while', 'an open connection to the node continues');
  t.equal(ask(n3, 'tcp', elsewhere, 22), 'the node', 'SSH is reached at the address of the other NIC');
  t.strictSame(answeringMacs(client, second), [macOf(n3)], 'only the node answers for its address');
  const vips = n1.must('ovn-nbctl', '--bare', '--columns=vips', 'list', 'Load_Balancer');
  t.match(vips, new RegExp(`${elsewhere}:80`), 'the address of the other NIC is served at port 80');
  t.notMatch(vips, /(192\.0\.2\.113|203\.0\.113\.13):22\b/, 'no address is served at the port of SSH');

  n3.must('ip', 'address', 'delete', `${second}/24`, 'dev', 'br-ex');
  // With OVN 23.03, a connection that begins before the service has the port gets no answer within a minute, so the
  // test asks afterwards.
  const served = `until ovn-nbctl --bare --columns=vips list Load_Balancer | grep -qF ${second}:22; do sleep 0.2; done; ovn-nbctl --wait=hv sync`;
  n1.must('timeout', '100', 'sh', '-c', served);
  t.equal(
    askUntil(asker, second, 22, 'the thief'),
    'the thief',
    'the service gets port 22 when no node has the address',
  );
  n3.must('ip', 'address', 'add', `${second}/24`, 'dev', 'br-ex');
  t.equal(
    askUntil(asker, second, 22, 'the node'),
    'the node',
    'the node gets port 22 again when it has the address again',
  );
}

async function externalAddresses(t: Test, { server, n1, n2, n3, client, pods, daemon }: Bed): Promise<void> {
  const [pod] = pods;
  await publish(server);
  for (const host of [n2, n3])
    for (const match of [/tcp,.*nw_dst=192\.0\.2\.200/, /tcp6,.*ipv6_dst=2001:db8::200/])
      await flowAppears(host, 'br-ex', match);

  const answers = (address: string): readonly string[] => answeringMacs(client, address);
  for (const host of [n1, n2, n3])
    for (const address of [host.address, sixOf(host)])
      t.strictSame(answers(address), [macOf(host)], `only ${host.name} answers for ${address}`);
  for (const [address, localPort, source] of [
    [external, 40_001, '100.64.0.3'],
    [external6, 40_002, 'fd98::3'],
  ] as const) {
    t.strictSame(answers(address), [macOf(n2)], `exactly one gateway answers for ${address}`);
    t.equal(connectOnce(client, address, localPort), source, 'a gateway serves the connection');
  }

  const [tcp, udp] = [
    await talk(client, pod, external, { listensAt: pod.address }),
    await talk(client, pod, external, { listensAt: pod.address, protocol: 'udp' }),
  ];
  for (const one of [tcp, udp]) t.equal(await one.say('by n2'), 'by n2');
  const outwards = await connectBy(pod, client, n2.address);

  const heard = announcements(client, macOf(n3), [external, external6]);
  await heard.listening;
  // ovn-controller of n2 is killed and not started again, so n2 keeps the flows with which it answers.
  killProcess(n2, '/run/ovn/ovn-controller.pid');
  for (const match of [/arp_tpa=192\.0\.2\.200/, /nd_target=2001:db8::200/]) await flowAppears(n3, 'br-int', match);
  await heard.both;
  for (const match of [/arp_tpa=192\.0\.2\.200/, /nd_target=2001:db8::200/]) await flowAppears(n2, 'br-int', match);
  for (const match of [/arp_spa=192\.0\.2\.200/, /nd_target=2001:db8::200/]) {
    await flowAppears(n2, 'br-ex', match);
    await flowDisappears(n3, 'br-ex', match);
  }
  t.equal(
    connectOnce(client, external, 40_003),
    '100.64.0.4',
    'a client with the MAC of the old gateway reaches the new gateway',
  );
  t.equal(await udp.say('by n3'), 'by n3', 'a UDP client is answered by the new gateway, with the same socket');
  t.equal(await tcp.say('by n3'), 'ready', 'a TCP connection is reset by the new gateway, and can be made again');
  t.equal(await tcp.say('again'), 'again');
  t.equal(await outwards(), 'ECONNRESET', 'a connection of a pod ends, because n3 has another address');
  for (const address of [external, external6])
    t.strictSame(answers(address), [macOf(n3)], `only the other gateway answers for ${address}`);
  t.equal(connectOnce(client, external6, 40_004), 'fd98::4');
  t.equal(await daemon.stop(), 0);
  t.notMatch(
    n2.must('ovs-ofctl', 'dump-flows', 'br-ex'),
    /arp_spa=192\.0\.2\.200|nd_target=2001:db8::200/,
    'n2 has no flow that withholds answers after the end of its daemon',
  );
  killProcess(n2, '/run/openvswitch/ovs-vswitchd.pid');
  t.strictSame(answers(external), [macOf(n3)], 'a gateway without flows does not answer');
  t.equal(connectOnce(client, external, 40_005), '100.64.0.4');
  t.strictSame(answers(n3.address), [macOf(n3)], 'only n3 answers for its own address');
}
