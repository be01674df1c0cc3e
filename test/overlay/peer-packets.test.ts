// A second cluster behind a Linux router on the LAN. Pods and services of both clusters reach each other at their own
// addresses, by a gateway that shares its node's address and by a gateway with an address of its own.
import t, { type Test } from 'tap';
import { startDaemon } from './daemon.ts';
import { flowAppears, flowDisappears } from './flow-appears.ts';
import { configure, dualStack, form } from './form.ts';
import { type Host, killProcess, missingForHosts, startController, startLan } from './hosts.ts';
import { ask, attempt } from './one-request.ts';
import { oneOvn, type WhichOvn } from './ovn-of-nodes.ts';
import { peerState } from './peer-state.ts';
import { pingScript } from './ping.ts';
import { balance, type Pod, plugPod, serve, startPod } from './services.ts';

const hops = ['192.0.2.60', '2001:db8::60'] as const;
const ranges = ['--subnet', '10.45.0.0/16', 'fd03::/48', '--service-subnet', '10.46.0.0/16,fd04::/112'] as const;
const add = ['overlay', 'peer', 'add', 'west', '--next-hop', ...hops, ...ranges] as const;

t.test('a second cluster on the LAN', { skip: missingForHosts() ?? false }, (t) => connected(t, oneOvn()));

/** Makes the second cluster: a router with a service on each family, and a pod behind it. */
async function startWest(west: Host): Promise<Pod> {
  west.must('sysctl', '-qw', 'net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1');
  west.must('ip', 'address', 'add', `${hops[1]}/64`, 'dev', 'br-ex', 'nodad');
  west.must('ovs-vsctl', 'add-br', 'br-int', '--', 'set', 'bridge', 'br-int', 'datapath_type=netdev');
  west.must('ip', 'address', 'add', '10.45.0.1/24', 'dev', 'br-int');
  west.must('ip', 'address', 'add', 'fd03::1/64', 'dev', 'br-int', 'nodad');
  west.must('ip', 'link', 'set', 'br-int', 'up');
  const pod = await plugPod(west, {
    interface: 'pod-west',
    port: 'pod-west',
    mac: '0a:58:0a:2d:00:09',
    address: '10.45.0.9',
    address6: 'fd03::9',
  });
  const services = `table inet services {
    chain prerouting {
      type nat hook prerouting priority dstnat;
      ip daddr 10.46.0.80 tcp dport 80 dnat ip to 10.45.0.9:8080
      ip6 daddr fd04::80 tcp dport 80 dnat ip6 to [fd03::9]:8080
    }
  }`;
  const made = west.run(['nft', '-f', '-'], services);
  if (made.status !== 0) throw new Error(made.stderr);
  return pod;
}

async function connected(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2, n3] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('n3', 13)];
  const west = await lan.host('west', 60);
  for (const host of [n1, n2, n3, west]) {
    // These settings keep the kernel from answering ARP and neighbour discovery on the NIC. With the kernel's data
    // path, the kernel does not answer on a NIC that is a port.
    host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8', 'net.ipv6.conf.eth0.disable_ipv6=1');
    configure(host, dualStack);
  }
  for (const host of [n1, n2, n3])
    host.must('ip', 'address', 'add', `2001:db8::${host.address.split('.')[3]}/64`, 'dev', 'br-ex', 'nodad');
  form(t, [n1, n2, n3], { n2: ['--gateway', '2001:db8::12'], n3: ['--gateway', '192.0.2.113,2001:db8::113'] });
  t.match(n1.agent(...add), { status: 2, stderr: /no node of this cluster has a gateway/ });
  t.match(n2.agent('overlay', 'gateway', '--next-hop', '192.0.2.254,2001:db8::fe'), { status: 0 });
  const own = ['--address', '192.0.2.113/24,2001:db8::113/64', '--next-hop', '192.0.2.254,2001:db8::fe'];
  t.match(n3.agent('overlay', 'gateway', ...own), { status: 0 }, 'a gateway with addresses of its own');
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  for (const host of [n2, n3]) t.match(host.agent('overlay', 'apply'), { status: 0 });
  const far = await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64');
  const pods = [
    await startPod(n1, n2, '10.42.1.0/24', 'fd01:0:0:1::/64'),
    await startPod(n1, n3, '10.42.2.0/24', 'fd01:0:0:2::/64'),
  ] as const;
  const remote = await startWest(west);
  await serve(west);
  balance(n1, 'near', 'tcp', { '10.43.0.80:80': '10.42.1.9:8080', '[fd02::80]:80': '[fd01:0:0:1::9]:8080' }, 'none');
  balance(n1, 'elsewhere', 'tcp', { '10.43.0.81:80': '10.42.0.9:8080' }, 'none');
  const before = peerState(n1, [n2, n3]);
  closedServices(t, west);
  const daemon = await startDaemon(n3);
  t.teardown(() => daemon.stop());

  await t.test('refusals', (t) => refused(t, n1, n2));

  await t.test('a failed run is rolled back', async (t) => {
    killProcess(n1, '/run/ovn/ovn-controller.pid');
    const failed = n1.agent(...add);
    t.not(failed.status, 0, 'without systemd, ovn-controller cannot be started', failed);
    t.equal(peerState(n1, [n2, n3]), before);
    t.match(n1.agent('overlay', 'peer', 'list'), { status: 0, stdout: 'The cluster has no peers.\n' });
    startController(n1);
    n1.must('ovn-nbctl', '--wait=hv', 'sync');
    t.end();
  });

  const added = n1.agent(...add);
  t.match(added, { status: 0, stdout: /^Done, \d+ changes: pods reach west/ }, 'a peer is added', added);
  t.match(n2.agent('overlay', 'verify'), { status: 3 }, 'a member without a daemon lacks the flows');
  t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Done/ });
  await flowAppears(n3, 'br-ex', /nw_src=10\.45\.0\.0\/16/);
  for (const host of [n2, n3]) t.match(host.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
  t.match(n1.agent(...add), { status: 0, stdout: /^Nothing to do/ }, 'a second run writes nothing');
  t.match(n1.agent('overlay', 'status'), { stdout: /^Peers: west \(10\.45\.0\.0\/16/m });
  t.match(n2.agent('overlay', 'status'), { stdout: /^Peers: west \(10\.45\.0\.0\/16/m });
  t.match(n1.agent('overlay', 'verify'), { status: 0, stdout: /peer west does not reach pods of n1; / });
  const document = JSON.parse(n1.agent('overlay', 'peer', 'list', '--output', 'json').stdout);
  const routes = document.peers[0].routes as readonly { destination: string; nextHop: string }[];
  t.strictSame(
    routes.map(({ destination, nextHop }) => `${destination} ${nextHop}`),
    [
      '10.42.1.0/24 192.0.2.12',
      'fd01:0:0:1::/64 2001:db8::12',
      '10.42.2.0/24 192.0.2.113',
      'fd01:0:0:2::/64 2001:db8::113',
      '10.43.0.0/16 192.0.2.12',
      'fd02::/112 2001:db8::12',
      '10.43.0.0/16 192.0.2.113',
      'fd02::/112 2001:db8::113',
    ],
    'the routes that the other cluster needs',
  );
  for (const { destination, nextHop } of routes) west.must('ip', 'route', 'replace', destination, 'via', nextHop);

  for (const pod of pods) await t.test(`a pod at ${pod.address}`, (t) => bothWays(t, pod, remote, west));
  await t.test('services', (t) => services(t, [n2, n3], pods, remote, west));
  await t.test('a pod of a node without a gateway', (t) => {
    t.match(ask(far, 'tcp', remote.address, 8080), /^192\.0\.2\.(12|113)$/, 'leaves with the address of a gateway');
    west.must('ip', 'route', 'replace', '10.42.0.0/24', 'via', '192.0.2.12');
    t.equal(attempt(remote, far.address), '', 'and is not reached at its own address');
    west.must('ip', 'route', 'delete', '10.42.0.0/24');
    t.end();
  });
  await t.test('a trace names the peer', (t) => {
    const { stdout, stderr } = n1.agent('overlay', 'trace', 'pod-n2', remote.address, '--tcp', '8080');
    t.match(stdout, /next hop 192\.0\.2\.60, by route 10\.45\.0\.0\/16 via 192\.0\.2\.60 of peer west/, stderr);
    t.notMatch(stdout, /source 10\.42\.1\.9 becomes/);
    t.end();
  });
  await t.test('a network policy holds', (t) => policies(t, n1, pods[0], remote));

  n1.must('ovn-nbctl', 'lr-route-del', 'GR_n2', '10.45.0.0/16');
  t.match(n1.agent('overlay', 'verify'), { status: 3, stdout: /10\.45\.0\.0\/16 is a network of the peer west/ });
  t.match(n1.agent('overlay', 'apply'), { status: 0, stdout: /^Done, 1 change/ }, 'a deleted route is restored');

  t.match(n1.agent('overlay', 'peer', 'remove', 'west'), { status: 0, stdout: /^Done/ });
  t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Done/ });
  await flowDisappears(n3, 'br-ex', /nw_src=10\.45\.0\.0\/16/);
  t.match(n3.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
  t.equal(peerState(n1, [n2, n3]), before, 'nothing of the peer is left');
  t.match(n1.agent('overlay', 'peer', 'remove', 'west'), { status: 0, stdout: /^Nothing to do/ });
  t.match(n1.agent('overlay', 'peer', 'list'), { status: 0, stdout: 'The cluster has no peers.\n' });
  t.match(n2.agent('overlay', 'status'), { stdout: /^(?!.*Peers:)/s });
  n1.must('ovn-nbctl', '--wait=hv', 'sync');
  t.equal(attempt(remote, pods[0].address), '', 'no pod answers after that');
}

function refused(t: Test, n1: Host, n2: Host): void {
  const without = (option: string, ...words: readonly string[]): readonly string[] => {
    const all = { '--next-hop': ['192.0.2.60'], '--subnet': ['10.45.0.0/16'], [option]: words };
    return ['overlay', 'peer', 'add', 'west', ...Object.entries(all).flatMap(([one, values]) => [one, ...values])];
  };
  t.match(n2.agent(...add), { status: 2, stderr: /not the central node/ });
  for (const [words, stderr] of [
    [without('--next-hop', '203.0.113.60'), /203\.0\.113\.60 is not on the LAN of a gateway/],
    [without('--next-hop', '192.0.2.12'), /192\.0\.2\.12 is an address of n2/],
  ] as const)
    t.match(n1.agent(...words), { status: 2, stderr });
  const network = { clusterNetwork: ['10.45.0.0/16'], serviceNetwork: ['10.46.0.0/16'] };
  const remoteClusters = [{ nextHop: ['192.0.2.60'], ...network }];
  n1.write('/etc/microshift/config.yaml', JSON.stringify({ clusterToCluster: { remoteClusters } }));
  t.match(n1.agent(...add), { status: 2, stderr: /clusterToCluster\.remoteClusters/ });
  n1.must('rm', '/etc/microshift/config.yaml');
  t.match(n1.agent('overlay', 'peer', 'list'), { status: 0, stdout: 'The cluster has no peers.\n' });
  t.end();
}

/**
 * Tests that a pod and a pod of the peer reach each other with their own addresses, and that the peer's router cannot
 * reach the pod.
 */
function bothWays(t: Test, pod: Pod, remote: Pod, west: Host): void {
  const pinged = (from: Pod, address: string): number => Number(from.must('perl', '-e', pingScript, '--', address));
  t.equal(pinged(pod, remote.address), 61, 'a pod of the peer answers a ping, behind three routers');
  t.equal(pinged(remote, pod.address), 61, 'and so does the pod here');
  for (const [here, there] of [
    [pod.address, remote.address],
    [pod.address6, remote.address6],
  ] as const)
    for (const [protocol, port] of [
      ['tcp', 8080],
      ['udp', 8053],
    ] as const) {
      t.equal(ask(pod, protocol, there, port), here, `${there} sees the pod over ${protocol}`);
      t.equal(ask(remote, protocol, here, port), there, `the pod sees ${there} over ${protocol}`);
    }
  t.equal(attempt(west, pod.address), '', 'the router itself is not permitted');
  t.end();
}

/** Tests that a host of the LAN, which is not in a range of a peer, reaches no cluster IP by a gateway. */
function closedServices(t: Test, host: Host): void {
  for (const [hop, hop6] of [
    ['192.0.2.12', '2001:db8::12'],
    ['192.0.2.113', '2001:db8::113'],
  ] as const) {
    host.must('ip', 'route', 'replace', '10.43.0.0/16', 'via', hop);
    host.must('ip', 'route', 'replace', 'fd02::/112', 'via', hop6);
    t.equal(attempt(host, '10.43.0.80', 80), '', `a host of the LAN reaches no cluster IP by ${hop}`);
    t.equal(attempt(host, 'fd02::80', 80), '');
  }
}

/** Tests services of both clusters from pods of the other one. */
function services(t: Test, gateways: readonly Host[], pods: readonly Pod[], remote: Pod, west: Host): void {
  for (const pod of pods) {
    t.equal(ask(pod, 'tcp', '10.46.0.80', 80), pod.address, 'a service of the peer sees the pod');
    t.equal(ask(pod, 'tcp', 'fd04::80', 80), pod.address6);
  }
  for (const [index, { name }] of gateways.entries()) {
    const [hop = '', hop6 = ''] = [
      ['192.0.2.12', '2001:db8::12'],
      ['192.0.2.113', '2001:db8::113'],
    ][index] ?? [''];
    west.must('ip', 'route', 'replace', '10.43.0.0/16', 'via', hop);
    west.must('ip', 'route', 'replace', 'fd02::/112', 'via', hop6);
    t.match(ask(remote, 'tcp', '10.43.0.80', 80), /^100\.64\.0\./, `a service here answers by ${name}`);
    t.match(ask(remote, 'tcp', 'fd02::80', 80), /^fd98::/);
    t.match(ask(remote, 'tcp', '10.43.0.81', 80), /^100\.64\.0\./, 'also with a pod of a node without a gateway');
    t.equal(attempt(remote, '10.43.0.99', 80), '', 'a place that no service has does not answer');
  }
  closedServices(t, west);
  t.end();
}

/** Tests that an ACL, as a network policy makes it, closes a pod to the peer, and can name the peer's pods. */
function policies(t: Test, central: Host, pod: Pod, remote: Pod): void {
  const rule = (action: string, match: string, priority: number): void => {
    const words = ['closed', 'to-lport', `${priority}`, `outport == @closed && ${match}`, action];
    central.must('ovn-nbctl', 'acl-add', ...words);
  };
  central.must('ovn-nbctl', 'pg-add', 'closed', 'pod-n2');
  rule('drop', 'ip', 1000);
  rule('allow', 'arp || nd', 1001);
  central.must('ovn-nbctl', '--wait=hv', 'sync');
  t.equal(attempt(remote, pod.address), '', 'a closed pod does not answer');
  t.equal(attempt(remote, '10.43.0.80', 80), '', 'nor by its service');
  rule('allow-related', 'ip4.src == 10.45.0.0/16', 1002);
  central.must('ovn-nbctl', '--wait=hv', 'sync');
  t.equal(ask(remote, 'tcp', pod.address, 8080), remote.address, 'a rule can name the peer');
  central.must('ovn-nbctl', '--wait=hv', 'pg-del', 'closed');
  t.end();
}
