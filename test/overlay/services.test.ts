// Services in packets: rows that are planned from objects of the API, daemons of two nodes that follow these rows, and
// the server that answers each client.
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { hasProgram } from '../cluster/binaries.ts';
import { type ApiObject, serviceObject, sliceObject } from '../unit/workload/services/facts.ts';
import { startDaemon } from './daemon.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { ask, askOnce } from './one-request.ts';
import { oneOvn, ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { publish } from './publish-services.ts';
import { serve, startPod } from './services.ts';

/** Text of the error with which the kernel ends a connection that is refused (errno(3), ECONNREFUSED). */
const refused = 'Connection refused';

const skip = missingForHosts() ?? (hasProgram('nft', '--version') ? false : 'nft is missing');

function nodePort(name: string, clusterIP: string, port: number, spec: object = {}): ApiObject {
  const ports = [{ port: 80, protocol: 'TCP', nodePort: port }];
  return serviceObject(name, { type: 'NodePort', clusterIPs: [clusterIP], ports, ...spec });
}

/** Returns the object in another namespace. */
function inNamespace({ metadata, ...rest }: ApiObject): ApiObject {
  return { ...rest, metadata: { ...(metadata as object), namespace: 'other' } };
}

/**
 * Starts a UDP client with one port; `next` repeats a request until an answer arrives, and resolves with the answer.
 */
function converse(from: Pick<Host, 'start'>, address: string, port: number): { next(): Promise<string> } {
  const script = `
    const socket = require('dgram').createSocket('udp4');
    let timer = null;
    const ask = () => socket.send('?', ${port}, '${address}');
    // Only the first answer is printed: a request that was repeated may get several answers.
    socket.on('message', (answer) => { if (timer !== null) console.log(String(answer)); clearInterval(timer); timer = null; });
    process.stdin.on('data', () => { ask(); timer = setInterval(ask, 500); });`;
  const child = from.start(process.execPath, '-e', script);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return {
    next: async () => {
      child.stdin?.write('next\n');
      const { value } = await lines.next();
      return String(value);
    },
  };
}

t.test('services of objects', { skip }, async (t) => {
  for (const which of ovnsHere()) await t.test(`OVN: ${which}`, (t) => services(t, which));
});

async function services(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2, client] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('client', 50)];
  for (const host of [n1, n2, client]) host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8');
  form(t, [n1, n2]);
  client.must('ip', 'address', 'add', '192.0.2.254/24', 'dev', 'br-ex');
  t.match(n2.agent('overlay', 'gateway', '--next-hop', '192.0.2.254'), { status: 0 });
  await startDaemon(n1);
  await startDaemon(n2);
  const far = await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64');
  const near = await startPod(n1, n2, '10.42.1.0/24', 'fd01:0:0:1::/64');
  for (const host of [n1, n2, client]) await serve(host);

  const [here, there] = ['10.42.1.9', '10.42.0.9'];
  const outside = '192.0.2.200';
  const web = [nodePort('web', '10.43.0.80', 30080, { externalIPs: [outside] }), sliceObject('web', [[there, 'n1']])];
  const api = [
    serviceObject('api', { clusterIPs: ['10.43.0.1'], ports: [{ port: 443, protocol: 'TCP' }] }),
    sliceObject('api', [[n1.address, 'n1']]),
  ];
  // MicroShift adds this address when it starts.
  n1.must('ip', 'address', 'add', '10.44.0.0/32', 'dev', 'lo');
  const behind = [
    serviceObject('kubernetes', { clusterIPs: ['10.43.0.2'], ports: [{ port: 443, protocol: 'TCP' }] }),
    sliceObject('kubernetes', [['10.44.0.0', 'n1']]),
  ];
  // Services with the same endpoint, which must not be confused with the first one: one has affinity, and one is in
  // another namespace.
  const stays = { sessionAffinity: 'ClientIP' };
  const twin = [nodePort('alike', '10.43.0.79', 30079, stays), sliceObject('alike', [[there, 'n1']])];
  const inOther = [nodePort('web', '10.43.0.78', 30078), sliceObject('web', [[there, 'n1']])].map(inNamespace);
  await publish(n1, [...twin, ...inOther, ...web, ...api, ...behind]);
  t.equal(ask(client, 'tcp', n2.address, 30080), '100.64.0.3', 'a new NodePort is reachable without `overlay apply`');
  t.equal(ask(client, 'tcp', outside, 80), '100.64.0.3', 'the external address answers from the LAN');
  t.equal(ask(near, 'tcp', outside, 80), here, 'a pod reaches the external address');
  t.equal(ask(near, 'tcp', '10.43.0.80', 80), here, 'a pod reaches the cluster IP');
  t.equal(ask(far, 'tcp', '10.43.0.80', 80), '169.254.169.5', 'an endpoint reaches its own service');
  t.equal(ask(near, 'tcp', n2.address, 30080), here, 'a pod reaches the NodePort');
  t.equal(ask(n2, 'tcp', '10.43.0.80', 80), '10.42.1.2', 'a node reaches the service');
  for (const [port, clusterIP] of [
    [30080, '10.43.0.80'],
    [30079, '10.43.0.79'],
    [30078, '10.43.0.78'],
  ] as const) {
    t.equal(ask(n2, 'tcp', n2.address, port), '10.42.1.2', 'a node reaches its own NodePort');
    const entry = new RegExp(`192\\.0\\.2\\.12 \\. ${port} : ${clusterIP.replaceAll('.', '\\.')} \\. 80`);
    t.match(
      n2.must('nft', 'list', 'table', 'inet', 'microshift_net_overlay'),
      entry,
      'the NodePort goes to its own service',
    );
  }

  t.equal(ask(near, 'tcp', '10.43.0.1', 443), here, 'a pod reaches the API server on the other node');
  t.equal(ask(far, 'tcp', '10.43.0.1', 443), there, 'another pod reaches the API server');
  t.equal(ask(n2, 'tcp', '10.43.0.1', 443), '10.42.1.2', 'another node reaches the API server');
  t.equal(ask(n1, 'tcp', '10.43.0.1', 443), '10.42.0.2', 'the node of the API server reaches it');
  t.equal(ask(near, 'tcp', '10.43.0.2', 443), here, "a pod reaches the API server at MicroShift's own address");
  t.equal(ask(far, 'tcp', '10.43.0.2', 443), there);
  t.equal(ask(n2, 'tcp', '10.43.0.2', 443), '10.42.1.2');
  t.equal(ask(n1, 'tcp', '10.43.0.2', 443), '10.42.0.2');

  // The older service has the place, whatever the order of the objects. The younger one would refuse, because it has no
  // endpoint.
  const shared = '203.0.113.9';
  client.must('ip', 'route', 'add', `${shared}/32`, 'via', n2.address);
  const claims = ['younger', 'older'].map((name, index) =>
    serviceObject(
      name,
      { type: 'LoadBalancer', clusterIPs: [`10.43.0.7${index}`] },
      { loadBalancer: { ingress: [{ ip: shared }] } },
      { creationTimestamp: `2026-01-0${2 - index}T00:00:00Z` },
    ),
  );
  await publish(n1, [...claims, sliceObject('older', [[there, 'n1']])]);
  t.equal(
    ask(client, 'tcp', shared, 80),
    '100.64.0.3',
    'of two services with one address and port, the older one answers',
  );

  const local = { externalTrafficPolicy: 'Local', internalTrafficPolicy: 'Local' };
  const slice = sliceObject('web', [
    [there, 'n1'],
    [here, 'n2'],
  ]);
  await publish(n1, [nodePort('web', '10.43.0.80', 30090, local), slice, ...api]);
  t.equal(
    ask(client, 'tcp', n2.address, 30090),
    client.address,
    'with Local, the pod on the node of the gateway sees the address of the client',
  );
  t.equal(ask(n1, 'tcp', n2.address, 30090), n1.address, 'another node also gets an answer');
  const own = Array.from({ length: 8 }, () => ask(near, 'tcp', '10.43.0.80', 80));
  t.strictSame([...new Set(own)], ['169.254.169.5'], 'with Local, a pod reaches only endpoints on its own node');
  t.notMatch(n2.must('ovs-ofctl', 'dump-flows', 'br-ex'), /tp_dst=30080/, 'the former NodePort is closed');

  const idle = (...where: readonly (readonly [string, string])[]): readonly ApiObject[] => [
    serviceObject('dns', { clusterIPs: ['10.43.0.10'], ports: [{ port: 53, protocol: 'UDP' }] }),
    sliceObject('dns', where, { ports: [{ name: '', port: 8053, protocol: 'UDP' }] }),
  ];
  await publish(n1, idle([there, 'n1']));
  const asker = converse(near, '10.43.0.10', 53);
  t.equal(await asker.next(), here, 'a UDP client is answered by the only pod');
  await publish(n1, idle([here, 'n2']));
  t.equal(
    await asker.next(),
    '169.254.169.5',
    'the same UDP client is answered by the pod that replaced the first one',
  );

  await publish(n1, [nodePort('web', '10.43.0.80', 30080)]);
  for (const [who, address, port] of [
    [near, '10.43.0.80', 80],
    [n2, '10.43.0.80', 80],
    [client, n2.address, 30080],
  ] as const)
    t.equal(askOnce(who, address, port), refused, `${address} refuses at once without a server`);
  // The client is the next hop of the gateway, has these addresses and listens there. It would therefore answer a
  // packet that leaves the cluster.
  for (const address of ['10.43.0.80', '10.43.0.81']) client.must('ip', 'address', 'add', `${address}/32`, 'dev', 'lo');
  for (const [who, name] of [
    [near, 'a pod of the gateway'],
    [far, 'a pod of another node'],
    [n2, 'a node'],
  ] as const) {
    t.equal(askOnce(who, '10.43.0.81', 8080), refused, `${name} is refused at an unused address`);
    t.equal(askOnce(who, '10.43.0.80', 8080), refused, `${name} is refused at an unused port`);
  }

  const affine = { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } } };
  await publish(n1, [nodePort('web', '10.43.0.80', 30080, affine), slice]);
  for (const [who, name, address, port] of [
    [near, 'a pod', '10.43.0.80', 80],
    [far, 'a pod of the other node', '10.43.0.80', 80],
    [n2, 'a node', '10.43.0.80', 80],
    [client, 'a host of the LAN', n2.address, 30080],
  ] as const) {
    // The gateway's own daemon follows the services, and opens the port later than OVN serves it.
    const first = who === client ? ask(who, 'tcp', address, port) : askOnce(who, address, port);
    const answers = [first, ...Array.from({ length: 7 }, () => askOnce(who, address, port))];
    t.match(first, /^[0-9.]+$/, `with affinity the first connection of ${name} is answered`);
    // The order of the answers shows the time at which another endpoint was chosen.
    t.strictSame(
      answers,
      answers.map(() => first),
      `${name} stays with its endpoint`,
    );
  }
  const affineDns = serviceObject('dns', {
    type: 'NodePort',
    clusterIPs: ['10.43.0.10'],
    ports: [{ port: 53, protocol: 'UDP', nodePort: 30053 }],
    ...affine,
  });
  const dnsSlice = sliceObject('dns', [[there, 'n1']], { ports: [{ name: '', port: 8053, protocol: 'UDP' }] });
  await publish(n1, [nodePort('web', '10.43.0.80', 30080, affine), slice, affineDns, dnsSlice]);
  for (const [who, name, address, port, source] of [
    [near, 'a pod', '10.43.0.10', 53, here],
    [far, 'an endpoint', '10.43.0.10', 53, '169.254.169.5'],
    [n2, 'a node', '10.43.0.10', 53, '10.42.1.2'],
    [n2, 'a node at its own NodePort', n2.address, 30053, '10.42.1.2'],
    [client, 'a host of the LAN', n2.address, 30053, '100.64.0.3'],
  ] as const)
    t.equal(await converse(who, address, port).next(), source, `with affinity one UDP socket of ${name} is answered`);
  await publish(n1, [nodePort('web', '10.43.0.80', 30080, affine), sliceObject('web', [[there, 'n1']])]);
  if (which !== oneOvn()) return;
  const traced = n1.agent('overlay', 'trace', 'pod-n2', '10.43.0.80', '--tcp', '80');
  t.match(traced, { status: 0, stdout: /10\.42\.0\.9:8080 .*default\/web/ });
  t.match(traced.stdout, /out by pod-n1/);
}
