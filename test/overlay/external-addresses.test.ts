// External addresses of services on a LAN with two gateways, in packets: the gateway that answers for each address,
// before and after a gateway fails.
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import t from 'tap';
import type { ApiServer } from '../cluster/api-server.ts';
import { hasProgram } from '../cluster/binaries.ts';
import { apiServerFor } from '../cluster/session.ts';
import { startDaemon } from './daemon.ts';
import { flowAppears, flowDisappears } from './flow-appears.ts';
import { dualStack, form } from './form.ts';
import { type Host, killProcess, missingForHosts, startLan } from './hosts.ts';
import { answeringMacs, macOf } from './neighbours.ts';
import { oneOvn } from './ovn-of-nodes.ts';
import { offerApi } from './relay.ts';
import { type Pod, startPod } from './services.ts';
import { talk } from './talk.ts';

const skip = missingForHosts() ?? (hasProgram('nft', '--version') ? false : 'nft is missing');
const [external, external6] = ['192.0.2.200', '2001:db8::200'];

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
  const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  for (const [path, object] of [
    ['/api/v1/namespaces/default/services', service],
    [slices, slice('web', 'IPv4', '10.42.0.9')],
    [slices, slice('web-six', 'IPv6', 'fd01::9')],
  ] as const) {
    const { status, body } = await server.call('POST', path, object);
    if (status !== 201) throw new Error(`${path}: ${JSON.stringify(body)}`);
  }
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

t.test('external addresses', { skip }, async (t) => {
  const server = await apiServerFor(t, ['--service-cluster-ip-range=10.43.0.0/16,fd02::/112']);
  if (server === null) return;
  const lan = await startLan(t, oneOvn());
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  const [n3, client] = [await lan.host('n3', 13), await lan.host('client', 50)];
  for (const host of [n1, n2, n3, client]) {
    // These settings keep the kernel from answering ARP and neighbour discovery on the NIC. With the kernel's data
    // path, the kernel does not answer on a NIC that is a port. On all other interfaces it answers.
    host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8', 'net.ipv6.conf.eth0.disable_ipv6=1');
    host.must('ip', 'address', 'add', `2001:db8::${host.address.split('.')[3]}/64`, 'dev', 'br-ex', 'nodad');
  }
  await offerApi(t, server, [n1, n2, n3], { ...dualStack, externalIPRanges: '192.0.2.192/27,2001:db8::200/119' });
  form(t, [n1, n2, n3]);
  for (const host of [n2, n3]) {
    const six = `2001:db8::${host.address.split('.')[3]}`;
    t.match(n1.agent('overlay', 'pki', 'grant', host.name, '--gateway', six), { status: 0 });
  }
  for (const host of [n2, n3])
    t.match(host.agent('overlay', 'gateway', '--next-hop', '192.0.2.254,2001:db8::fe'), { status: 0 });
  await startDaemon(n1);
  const [daemon2] = [await startDaemon(n2), await startDaemon(n3)];
  const pod = await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64');
  await publish(server);
  for (const host of [n2, n3])
    for (const match of [/tcp,.*nw_dst=192\.0\.2\.200/, /tcp6,.*ipv6_dst=2001:db8::200/])
      await flowAppears(host, 'br-ex', match);

  const answers = (address: string): readonly string[] => answeringMacs(client, address);
  for (const host of [n1, n2, n3])
    for (const address of [host.address, `2001:db8::${host.address.split('.')[3]}`])
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
  t.equal(await daemon2.stop(), 0);
  t.notMatch(
    n2.must('ovs-ofctl', 'dump-flows', 'br-ex'),
    /arp_spa=192\.0\.2\.200|nd_target=2001:db8::200/,
    'n2 has no flow that withholds answers after the end of its daemon',
  );
  killProcess(n2, '/run/openvswitch/ovs-vswitchd.pid');
  t.strictSame(answers(external), [macOf(n3)], 'a gateway without flows does not answer');
  t.equal(connectOnce(client, external, 40_005), '100.64.0.4');
  t.strictSame(answers(n3.address), [macOf(n3)], 'only n3 answers for its own address');
});
