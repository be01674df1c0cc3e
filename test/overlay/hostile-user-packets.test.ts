// Random objects of a hostile user on two nodes with a shared gateway. A host of the LAN observes the nodes' own ports,
// an open connection, the services and the pod of another user, and the answers of ARP and neighbour discovery. A
// hostile pod, a VM and a host of a peer observe a policy of the administrator, the ranges of clients and the peer's
// routes. HOSTILE_SEED repeats a run, and HOSTILE_OBJECTS makes it longer.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { macOf as podMac } from '../../agent/overlay/addresses.ts';
import { hasProgram } from '../cluster/binaries.ts';
import { seededRandom } from '../unit/ovsdb/random.ts';
import { startDaemon } from './daemon.ts';
import { flowAppears } from './flow-appears.ts';
import { configure, dualStack, form } from './form.ts';
import { type Aims, hostileNamespace, hostileUser } from './hostile-objects.ts';
import { type Host, missingForHosts, program, startLan } from './hosts.ts';
import { answeringMacs, macOf, sixOf } from './neighbours.ts';
import { ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { startVm } from './port-guests.ts';
import { offerApi } from './relay.ts';
import { type ServedApi, serveApi } from './served-api.ts';
import { type Pod, plugPod, serve } from './services.ts';
import { podOn } from './stored-api.ts';
import { talk } from './talk.ts';

/** Seed of the objects: each release of OVN gets other ones, unless HOSTILE_SEED repeats a run. */
const seedOf = (which: WhichOvn): number => Number(process.env.HOSTILE_SEED ?? (which === 'own' ? 1 : 2));
const count = Number(process.env.HOSTILE_OBJECTS ?? 250);
/** Number of objects that arrive at once; a long run has 40 batches. */
const batch = Math.max(125, Math.ceil(count / 40));
const skip = missingForHosts() ?? (hasProgram('nft', '--version') ? false : 'nft is missing');

const [external, external6] = ['192.0.2.200', '2001:db8::200'];
const [router, router6] = ['192.0.2.254', '2001:db8::fe'];
/** Address of a host of the peer. */
const ofPeer = '198.51.100.9';
/** Address of a load balancer with ranges of clients. */
const restricted = '198.18.0.9';
/**
 * Keys of the group overlay, with more service ports than an administrator should allow. The ports that a node needs
 * must remain the node's own.
 */
const keys = {
  ...dualStack,
  externalIPRanges: '192.0.2.192/27,2001:db8::200/119,198.51.100.0/24,198.18.0.0/24',
  servicePorts: '22,80,443,6443,6642',
  encapsulation: 'auto',
};
/** Ports at which a process of each node answers. */
const nodePorts = [22, 6443];

const aims: Aims = {
  nodes: ['192.0.2.11', '192.0.2.12'],
  addresses: [
    ...[
      '192.0.2.11',
      '192.0.2.12',
      '2001:db8::11',
      '2001:db8::12',
      external,
      external6,
      '192.0.2.201',
      router,
      router6,
    ],
    ...['10.42.0.254', ofPeer, restricted],
    ...['10.42.1.3', '10.42.1.1', '10.42.1.2', '10.42.0.2', '10.43.0.80', '100.64.0.1', 'fd01:0:0:1::3', 'fd02::80'],
  ],
  ports: [22, 6443, 6642, 80, 8080, 30_080, 4000],
  uids: ['uid-of-web'],
};

/** Target of a connection, and its name in the outcome. */
interface Target {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly isTls?: true;
  /** Limit for an answer in ms; 20 s if absent. */
  readonly limitMs?: number;
}

/** Limit for an answer that must not come: permitted packets are answered within milliseconds. */
const silenceMs = 1500;

/**
 * Program that reads lists of targets, and connects to all targets of a list at once, with one connection each, until
 * their limits; a connection that has failed without an answer is followed by another one. Prints for each target the
 * first words of the server, the fingerprint of its certificate, or the error code.
 */
const asker = `
const [net, tls] = [require('net'), require('tls')];
const none = ['no answer', 'ETIMEDOUT', 'EHOSTUNREACH'];
const ask = ({ address, port, isTls, limitMs = 20000 }) => new Promise((resolve) => {
  const end = Date.now() + limitMs;
  const attempt = () => {
    let answer = none[0];
    const socket = isTls ? tls.connect({ host: address, port, rejectUnauthorized: false }) : net.connect(port, address);
    const settle = (text) => { answer = text; socket.destroy(); };
    socket.setTimeout(limitMs, () => socket.destroy());
    socket.on('secureConnect', () => settle(socket.getPeerCertificate().fingerprint256));
    if (!isTls) socket.on('data', (text) => settle(String(text)));
    socket.on('error', ({ code }) => { if (answer === none[0]) answer = code; });
    socket.on('close', () => none.includes(answer) && Date.now() < end ? setTimeout(attempt, 100) : resolve(answer));
  };
  attempt();
});
require('readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const all = JSON.parse(line).map(async (one) => [one.name, await ask(one)]);
  console.log(JSON.stringify(await Promise.all(all)));
});
`;

type Answers = (targets: readonly Target[]) => Promise<Readonly<Record<string, string>>>;

/**
 * Starts the program, and returns a function that returns the answers of all targets by name. The API server of this
 * process continues meanwhile.
 */
function answersAt(from: Pick<Host, 'start'>): Answers {
  const child = from.start(process.execPath, '-e', asker);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return async (targets) => {
    child.stdin?.write(`${JSON.stringify(targets)}\n`);
    return Object.fromEntries(JSON.parse(String((await lines.next()).value)));
  };
}

/** Answers at the ports of a node with its name and the port. */
async function listen(host: Host): Promise<void> {
  const script = `
    const started = ${JSON.stringify(nodePorts)}.map((port) => new Promise((resolve) =>
      require('net').createServer((socket) => socket.on('error', () => {}).end('${host.name}, port ' + port)).listen(port, '::', resolve)));
    Promise.all(started).then(() => console.log('listening'));`;
  await once(host.start(process.execPath, '-e', script).stdout as NodeJS.ReadableStream, 'data');
}

/** Fields of a service that the test itself creates. */
interface Published {
  readonly type: string;
  readonly clusterIPs: readonly string[];
  readonly externalIPs?: readonly string[];
  readonly ports: readonly { readonly port: number; readonly nodePort?: number }[];
  readonly loadBalancerSourceRanges?: readonly string[];
}

/** Creates a service with one pod behind all its ports, and with `ingress` as the addresses of its load balancer. */
function publish(
  api: ServedApi,
  key: string,
  published: Published,
  endpoints: readonly string[],
  ingress: readonly string[] = [],
): void {
  const [namespace = '', name = ''] = key.split('/');
  const ports = published.ports.map((one) => ({ ...one, name: `p${one.port}`, protocol: 'TCP' }));
  const creationTimestamp = namespace === hostileNamespace ? '2026-02-01T00:00:00Z' : '2026-01-01T00:00:00Z';
  api.put('services', {
    metadata: { namespace, name, uid: `uid-of-${name}`, creationTimestamp },
    spec: { ...published, ports },
    status: { loadBalancer: { ingress: ingress.map((ip) => ({ ip })) } },
  });
  for (const address of endpoints) {
    const addressType = address.includes(':') ? 'IPv6' : 'IPv4';
    api.put('endpointslices', {
      metadata: {
        namespace,
        name: `${name}-${addressType.toLowerCase()}`,
        uid: `uid-of-${name}-${addressType}`,
        labels: { 'kubernetes.io/service-name': name },
      },
      addressType,
      ports: ports.map((one) => ({ name: one.name, port: 8080, protocol: 'TCP' })),
      endpoints: [{ addresses: [address], nodeName: 'n2', conditions: { ready: true } }],
    });
  }
}

/** Creates a pod with its interface and a server. */
async function startPod(api: ServedApi, central: Host, on: Host, namespace: string, name: string): Promise<Pod> {
  const uid = `uid-of-${name}`;
  api.put('pods', podOn(on.name, name, { namespace, uid }));
  const port = `${namespace}_${name}`;
  const [code] = await once(
    central.start('ovn-nbctl', '--timeout=100', 'wait-until', 'Logical_Switch_Port', port),
    'exit',
  );
  if (code !== 0) throw new Error('the pod has no port');
  const [, address = '', address6 = ''] = central.must('ovn-nbctl', 'lsp-get-addresses', port).trim().split(' ');
  return plugPod(on, { interface: port, port, uid, mac: podMac(address), address, address6 });
}

/** Creates the pod and the services of the observed user. */
async function startVictim(api: ServedApi, n1: Host, n2: Host, client: Host): Promise<Pod> {
  const pod = await startPod(api, n1, n2, 'victim', 'web');
  const spec = {
    type: 'NodePort',
    clusterIPs: ['10.43.0.80', 'fd02::80'],
    externalIPs: [external, external6],
    ports: [{ port: 80, nodePort: 30_080 }],
  };
  publish(api, 'victim/web', spec, [pod.address, pod.address6]);
  const bank = {
    type: 'LoadBalancer',
    clusterIPs: ['10.43.0.81'],
    ports: [{ port: 80 }],
    loadBalancerSourceRanges: [`${client.address}/32`],
  };
  publish(api, 'victim/bank', bank, [pod.address], [restricted]);
  return pod;
}

/** Policy of the administrator: no pod of another namespace reaches the pods of the observed user. */
const fence = {
  metadata: { name: 'fence', uid: 'uid-of-fence' },
  spec: {
    tier: 'Admin',
    priority: 10,
    subject: { namespaces: { matchLabels: { 'kubernetes.io/metadata.name': 'victim' } } },
    ingress: [
      { action: 'Accept', from: [{ namespaces: { matchLabels: { 'kubernetes.io/metadata.name': 'victim' } } }] },
      { action: 'Deny', from: [{ namespaces: {} }] },
    ],
  },
};

t.test(`${count} objects`, { skip }, async (t) => {
  for (const which of ovnsHere())
    await t.test(`OVN: ${which}, HOSTILE_SEED=${seedOf(which)}`, (t) => hostile(t, which));
});

async function hostile(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  const [client, next] = [await lan.host('client', 50), await lan.host('router', 51)];
  for (const host of [n1, n2, client, next]) {
    // These settings keep the kernel from answering ARP and neighbour discovery on the NIC. With the kernel's data
    // path, the kernel does not answer on a NIC that is a port.
    host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8', 'net.ipv6.conf.eth0.disable_ipv6=1');
    host.must('ip', 'address', 'add', `${sixOf(host)}/64`, 'dev', 'br-ex', 'nodad');
  }
  next.must('ip', 'address', 'add', `${router}/24`, 'dev', 'br-ex');
  next.must('ip', 'address', 'add', `${router6}/64`, 'dev', 'br-ex', 'nodad');
  for (const host of [n1, n2]) configure(host, keys);
  form(t, [n1, n2]);
  t.match(n1.agent('overlay', 'pki', 'grant', 'n2', '--gateway', sixOf(n2)), { status: 0 });
  const api = await serveApi(t);
  await offerApi(t, { port: api.port, kubeconfig: () => api.kubeconfig }, [n1, n2], keys);
  for (const name of ['default', 'victim', hostileNamespace, 'br-ex'])
    api.put('namespaces', {
      metadata: { name, uid: `uid-of-${name}`, labels: { 'kubernetes.io/metadata.name': name } },
    });
  api.put('clusternetworkpolicies', fence);
  // The ports of these pods have the names of the ports that will connect the gateways with the LAN.
  const namesakes = ['n1', 'n2'].map((name) => podOn('n1', name, { namespace: 'br-ex', uid: `uid-of-${name}` }));
  for (const pod of namesakes) api.put('pods', pod);
  for (const host of [n1, n2]) await startDaemon(host);
  /**
   * Runs a command without blocking this process, because the command reads objects from the API server of this
   * process.
   */
  const command = async (host: Host, ...words: readonly string[]): Promise<unknown> =>
    (await once(host.start(process.execPath, program, ...words), 'exit'))[0];
  const uplinks = (): readonly string[] =>
    ['n1', 'n2'].map((name) =>
      n1.must('ovn-nbctl', '--columns=type,addresses,external_ids', 'list', 'Logical_Switch_Port', `br-ex_${name}`),
    );
  for (const name of ['n1', 'n2'])
    await once(n1.start('ovn-nbctl', '--timeout=100', 'wait-until', 'Logical_Switch_Port', `br-ex_${name}`), 'exit');
  for (const row of uplinks()) t.match(row, /addresses +: \["0a:58:/, 'a pod has the name before there is a gateway');
  for (const host of [n1, n2]) {
    t.equal(
      await command(host, 'overlay', 'gateway', '--next-hop', `${router},${router6}`),
      0,
      `${host.name} gets a gateway`,
    );
    await listen(host);
  }
  for (const [words, what] of [
    [['peer', 'add', 'west', '--next-hop', router, '--subnet', '198.51.100.0/24'], 'the cluster has a peer'],
    [['port', 'add', 'vm1', '--interface', 'tap7', '--namespace', 'victim'], 'the cluster has a port for a VM'],
  ] as const)
    t.equal(await command(n1, 'overlay', ...words), 0, what);
  next.must('ip', 'address', 'add', `${ofPeer}/32`, 'dev', 'lo');
  next.must('ip', 'route', 'add', '10.42.1.0/24', 'via', n2.address);
  for (const host of [client, next]) host.must('ip', 'route', 'add', restricted, 'via', n2.address);
  await serve(next);
  // The packets between pods of the two nodes use direct routes from now on.
  for (const family of ['v4', 'v6']) {
    const wait = n1.start('ovn-nbctl', '--timeout=100', 'wait-until', 'Address_Set', `direct_n1_${family}`);
    t.strictSame(await once(wait, 'exit'), [0, null], `direct routes, ${family}`);
  }
  const web = await startVictim(api, n1, n2, client);
  const spy = await startPod(api, n1, n1, hostileNamespace, 'spy');
  const vm = await startVm(n1, 'tap7', podMac('10.42.0.254'), '10.42.0.254', 'fd01::fe');
  t.match(web, { address: '10.42.1.3', address6: 'fd01:0:0:1::3' }, 'the addresses at which the hostile user aims');

  let marks = 0;
  /** Waits until all earlier changes have arrived at both nodes, which the NodePort of a later service shows. */
  const passed = async (): Promise<void> => {
    marks += 1;
    const nodePort = 30_100 + marks;
    const spec = { type: 'NodePort', clusterIPs: [`10.43.1.${marks}`], ports: [{ port: 80, nodePort }] };
    publish(api, `default/mark-${marks}`, spec, [web.address]);
    await Promise.all([n1, n2].map((host) => flowAppears(host, 'br-ex', new RegExp(`tcp,.*tp_dst=${nodePort}\\b`))));
    n1.must('ovn-nbctl', '--wait=hv', 'sync');
  };
  const lasting = [
    await talk(client, n1, n1.address),
    await talk(client, n2, n2.address),
    await talk(n1, web, web.address),
  ];
  const fromLan: readonly Target[] = [
    ...[n1, n2].flatMap(({ name, address }) => [
      ...[address, sixOf(name === 'n1' ? n1 : n2)].flatMap((one) =>
        nodePorts.map((port) => ({ name: `${one} ${port}`, address: one, port })),
      ),
      { name: `NodePort at ${name}`, address, port: 30_080 },
    ]),
    { name: 'southbound', address: n1.address, port: 6642, isTls: true },
    { name: 'n2 has no database', address: n2.address, port: 6642 },
    { name: 'outside', address: external, port: 80 },
    { name: 'outside, IPv6', address: external6, port: 80 },
    { name: 'restricted', address: restricted, port: 80 },
  ];
  const fromNode: readonly Target[] = [
    { name: 'pod', address: web.address, port: 8080 },
    { name: 'pod, IPv6', address: web.address6, port: 8080 },
    { name: 'cluster IP', address: '10.43.0.80', port: 80 },
  ];
  await serve(client);
  const fromPod: readonly Target[] = [
    { name: 'LAN', address: client.address, port: 8080 },
    { name: 'LAN, IPv6', address: sixOf(client), port: 8080 },
    { name: 'peer', address: ofPeer, port: 8080 },
    { name: 'VM', address: vm.address, port: 8080 },
  ];
  const fromVm: readonly Target[] = [
    { name: 'pod', address: web.address, port: 8080 },
    { name: 'cluster IP', address: '10.43.0.80', port: 80 },
  ];
  const closed = (...targets: readonly Target[]): readonly Target[] =>
    targets.map((one) => ({ ...one, limitMs: silenceMs }));
  const fromSpy = closed(
    { name: 'pod', address: web.address, port: 8080 },
    { name: 'pod, IPv6', address: web.address6, port: 8080 },
    { name: 'cluster IP', address: '10.43.0.80', port: 80 },
    { name: 'VM', address: vm.address, port: 8080 },
  );
  const neighbours = [n1.address, n2.address, sixOf(n1), sixOf(n2), external, external6, router, router6];
  const [atClient, atNode, atPod, atVm, atSpy, atStranger] = [
    answersAt(client),
    answersAt(n1),
    answersAt(web),
    answersAt(vm),
    answersAt(spy),
    answersAt(next),
  ] as const;
  const observe = async () => {
    const macs = Object.fromEntries(neighbours.map((address) => [address, answeringMacs(client, address)]));
    const [lan, node, pod, ofVm, ofSpy, ofStranger, said] = await Promise.all([
      atClient(fromLan),
      atNode(fromNode),
      atPod(fromPod),
      atVm(fromVm),
      atSpy(fromSpy),
      atStranger(closed({ name: 'restricted', address: restricted, port: 80 })),
      Promise.all(lasting.map(({ say }) => say('hello'))),
    ]);
    return { macs, lan, node, pod, ofVm, ofSpy, ofStranger, said };
  };

  await passed();
  const before = await observe();
  const [gateway] = before.macs[external] ?? [];
  const subject = (one: Host) => ({ [one.address]: [macOf(one)], [sixOf(one)]: [macOf(one)] });
  t.strictSame(before.macs, {
    ...{ ...subject(n1), ...subject(n2) },
    ...{ [external]: [gateway], [external6]: [gateway] },
    ...{ [router]: [macOf(next)], [router6]: [macOf(next)] },
  });
  for (const host of [n1, n2])
    for (const port of nodePorts)
      t.equal(before.lan[`${host.address} ${port}`], `${host.name}, port ${port}`, 'a process of the node answers');
  t.match(before.lan, {
    southbound: /^([0-9A-F]{2}:){31}/,
    'n2 has no database': 'ECONNREFUSED',
    outside: /^100\.64\.0\./,
    'outside, IPv6': /^fd98::/,
    'NodePort at n1': /^100\.64\.0\./,
    'NodePort at n2': /^100\.64\.0\./,
  });
  t.match(before.node, { pod: '10.42.0.2', 'pod, IPv6': /^fd01::2$/, 'cluster IP': /^10\.42\.0\.2$/ });

  t.strictSame(
    before.pod,
    { LAN: n2.address, 'LAN, IPv6': sixOf(n2), peer: web.address, VM: web.address },
    'the pod leaves by the gateway of its node, and reaches the peer and the VM with its own address',
  );
  t.match(before.lan.restricted, /^100\.64\.0\./, 'a client in the ranges is served');
  t.strictSame(before.ofVm, { pod: vm.address, 'cluster IP': vm.address }, 'the VM is of the namespace of the pod');
  const silent = Object.fromEntries(fromSpy.map(({ name }) => [name, 'no answer']));
  t.strictSame(before.ofSpy, silent, 'a hostile pod does not reach the pods of the other user');
  t.strictSame(before.ofStranger, { restricted: 'no answer' }, 'a client outside of the ranges is not served');

  t.match(await api.event('NameReserved'), /^its port would have the name of a node's own port, br-ex_n[12]; give/);
  const localnets = uplinks();
  for (const row of localnets) t.match(row, /type +: localnet/, 'the gateway has the name');
  for (const host of [n1, n2]) t.equal(await command(host, 'overlay', 'verify'), 0, `${host.name} finds no drift`);
  for (const { metadata } of namesakes) api.remove('pods', `br-ex/${metadata.name}`);
  await passed();
  t.strictSame(uplinks(), localnets, 'the ports of the gateways stay when their namesakes go');
  for (const pod of namesakes) api.put('pods', pod);
  await passed();
  t.strictSame(uplinks(), localnets, 'with namesakes that come later than the gateways, whose packets are seen below');

  // An address of a node is served only if it is an address of the load balancer, and is not in externalIPs too.
  const isOfNode = (address: string): boolean => [n1, n2].some((host) => [host.address, sixOf(host)].includes(address));
  const aimed = {
    type: 'LoadBalancer',
    clusterIPs: ['10.43.2.1', 'fd02::201'],
    externalIPs: aims.addresses.filter((address) => !isOfNode(address)),
    ports: aims.ports.map((port) => ({ port })),
  };
  publish(api, `${hostileNamespace}/aimed`, aimed, [web.address, web.address6], aims.addresses.filter(isOfNode));
  const mallory = hostileUser(seededRandom(seedOf(which)), aims, api);
  for (let index = 0; index < count; index += 1) {
    mallory.act(index);
    if (index % batch !== batch - 1) continue;
    await passed();
    t.strictSame(await observe(), before, `after ${index + 1} objects`);
  }
  t.match(n1.must('ovn-nbctl', '--bare', '--columns=name', 'list', 'Load_Balancer'), /mallory/, 'some were served');
  api.remove('services', `${hostileNamespace}/aimed`);
  mallory.leave();
  await passed();
  t.strictSame(await observe(), before, 'the state is unchanged after the objects are deleted');
}
