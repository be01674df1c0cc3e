// A peer in VXLAN, with a VXLAN device of Linux as its appliance: packets in both directions, forged packets, the
// trace, the removal, and the refusal with an OVN that does not support it.
import t, { type Test } from 'tap';
import { macOf } from '../../agent/overlay/addresses.ts';
import { startDaemon } from './daemon.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { ask, askWith, attempt } from './one-request.ts';
import { ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { pingScript } from './ping.ts';
import { datagramsAt, type Pod, plugPod, ready, serve } from './services.ts';
import { becomeAppliance, untilVteps, vtepState } from './vtep-state.ts';

/** Address of the appliance in its subnet. */
const own = '10.60.0.5';
const add = ['overlay', 'peer', 'add', 'f5', '--vtep', '192.0.2.60', '--subnet', '10.60.0.0/24'] as const;
const remove = ['overlay', 'peer', 'remove', 'f5'] as const;

for (const which of ovnsHere())
  t.test(`a peer in VXLAN, OVN: ${which}`, { skip: missingForHosts() ?? false }, (t) =>
    which === 'own' ? refusedByOvn(t, which) : inVxlan(t, which),
  );

async function refusedByOvn(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const n1 = await lan.host('n1', 11);
  form(t, [n1]);
  t.match(n1.agent('overlay', 'gateway'), { status: 0 });
  const before = vtepState(n1, [n1]);
  const { status, stderr } = n1.agent(...add);
  t.equal(status, 2);
  t.match(stderr.replaceAll(/\s+/g, ' '), /OVN of n1 cannot exchange VXLAN packets with 192\.0\.2\.60, because its/);
  t.match(
    stderr.replaceAll(/\s+/g, ' '),
    /overlay peer add f5 --next-hop ADDRESS --subnet 10\.60\.0\.0\/24/,
    'the cure',
  );
  t.equal(vtepState(n1, [n1]), before, 'nothing has changed');
}

/** Sends three datagrams from an address of a host. */
function send(from: Host, source: string, address: string): void {
  const script = `
    const socket = require('dgram').createSocket('udp4');
    const next = (left) => left === 0 ? socket.close() : socket.send('?', 8053, '${address}', () => next(left - 1));
    socket.bind(0, '${source}', () => next(3));`;
  from.must(process.execPath, '-e', script);
}

async function plug(central: Host, host: Host, address: string): Promise<Pod> {
  const [name, mac] = [`pod-${host.name}`, macOf(address)];
  const place = `${mac} ${address}`;
  const security = ['lsp-set-port-security', name, place];
  central.must('ovn-nbctl', 'lsp-add', host.name, name, '--', 'lsp-set-addresses', name, place, '--', ...security);
  return plugPod(host, { interface: name, port: name, mac, address });
}

async function inVxlan(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  const [f5, other] = [await lan.host('f5', 60), await lan.host('other', 70)];
  // This setting keeps the kernel from answering ARP on the NIC. With the kernel's data path, the kernel does not
  // answer on a NIC that is a port.
  for (const host of [n1, n2, f5, other]) host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8');
  form(t, [n1, n2]);
  t.match(n1.agent('overlay', 'gateway'), { status: 0 });
  const pods = [await plug(n1, n1, '10.42.0.9'), await plug(n1, n2, '10.42.1.9')] as const;
  for (const host of [n1, n2]) t.match(host.agent('overlay', 'apply'), { status: 0 });
  const before = vtepState(n1, [n1, n2]);

  await t.test('refusals', (t) => refused(t, n1, n2));
  const added = n1.agent(...add);
  t.match(added, {
    status: 0,
    stdout: /^Done, \d+ changes: pods reach f5 \(10\.60\.0\.0\/24\) in VXLAN to 192\.0\.2\.60/,
  });
  t.match(added.stdout, /needs the MAC 0a:58:0a:3c:00:02/, added.stderr);
  const drift = n2.agent('overlay', 'verify');
  t.match(drift, { status: 3, stdout: /bridge fdb add 0a:58:0a:3c:00:02 dev vxlan-0 dst 192\.0\.2\.60/ }, drift.stdout);
  t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Done/ });
  for (const host of [n1, n2]) {
    t.match(host.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ }, 'a second run writes nothing');
    const verified = host.agent('overlay', 'verify');
    t.match(verified, { status: 0 }, verified.stdout);
    t.match(host.agent('overlay', 'status'), { stdout: /^Peers: f5 \(10\.60\.0\.0\/24\) in VXLAN to 192\.0\.2\.60/m });
    untilVteps(host, true);
  }
  t.match(n1.agent(...add), { status: 0, stdout: /^Nothing to do/ });
  t.match(n1.agent('overlay', 'peer', 'list'), {
    stdout: /10\.42\.0\.0\/16 via 10\.60\.0\.1 \(MAC 0a:58:0a:3c:00:01\), by the tunnel\n.*192\.0\.2\.12 \(n2\)$/m,
  });
  const { settings } = becomeAppliance(n1, f5, own);
  await serve(f5);

  for (const pod of pods)
    await t.test(`a pod at ${pod.address}`, (t) => {
      const pinged = (from: Pick<Host, 'must'>, address: string): number =>
        Number(from.must('perl', '-e', pingScript, '--', address));
      t.equal(pinged(pod, own), 63, 'the appliance answers a ping, behind one router');
      t.equal(pinged(f5, pod.address), 63, 'and so does the pod');
      for (const [protocol, port] of [
        ['tcp', 8080],
        ['udp', 8053],
      ] as const) {
        t.equal(ask(pod, protocol, own, port), pod.address, `the appliance sees the pod over ${protocol}`);
        t.equal(ask(f5, protocol, pod.address, port), own, `the pod sees the appliance over ${protocol}`);
      }
      // IPv4 and UDP have headers of 28 bytes.
      for (const bytes of [settings.mtu - 28, 4000]) {
        t.equal(askWith(f5, pod.address, bytes), own, `${bytes} bytes arrive at the pod`);
        t.equal(askWith(pod, own, bytes), pod.address, `${bytes} bytes arrive at the appliance`);
      }
      t.end();
    });

  await t.test('a pod with a larger MTU, as without tunnels between pods', (t) => {
    pods[0].must('ip', 'link', 'set', 'pod-n1', 'mtu', '1500');
    t.equal(askWith(pods[0], own, 1472), pods[0].address, 'gets an ICMP error, and sends fragments');
    pods[0].must('ip', 'link', 'set', 'pod-n1', 'mtu', '1400');
    t.end();
  });
  await t.test('forged packets', (t) => forged(t, [n1, n2, f5, other], pods));
  await t.test('a network policy holds', (t) => {
    n1.must('ovn-nbctl', 'pg-add', 'closed', 'pod-n2');
    n1.must('ovn-nbctl', 'acl-add', 'closed', 'to-lport', '1000', 'outport == @closed && ip', 'drop');
    n1.must('ovn-nbctl', '--wait=hv', 'sync');
    t.equal(attempt(f5, pods[1].address), '');
    t.equal(ask(pods[1], 'tcp', own, 8080), pods[1].address, 'the pod itself reaches the appliance');
    const permit = [
      'acl-add',
      'closed',
      'to-lport',
      '1001',
      `outport == @closed && ip4.src == ${own}`,
      'allow-related',
    ];
    n1.must('ovn-nbctl', '--wait=hv', ...permit);
    t.equal(ask(f5, 'tcp', pods[1].address, 8080), own);
    n1.must('ovn-nbctl', '--wait=hv', 'pg-del', 'closed');
    t.end();
  });
  await t.test('a trace', (t) => traced(t, [n1, n2]));
  await t.test('drift', (t) => drifted(t, [n1, n2], f5, pods));

  t.match(n1.agent(...remove), { status: 0, stdout: /^Done/ });
  t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Done/ });
  for (const host of [n1, n2]) untilVteps(host, false);
  t.equal(vtepState(n1, [n1, n2]), before, 'nothing of the peer is left');
  t.equal(attempt(f5, pods[1].address), '', 'no pod answers after that');
  t.match(n1.agent(...remove), { status: 0, stdout: /^Nothing to do/ });
  t.match(n2.agent('overlay', 'status'), { stdout: /^(?!.*Peers:)/s });

  await t.test('another MAC and VNI', (t) => {
    f5.must('ip', 'link', 'delete', 'vx0');
    const other = n1.agent(...add, '--mac', '02:00:00:00:00:05', '--vni', '4097');
    t.match(other, { status: 0, stdout: /VNI 4097/ }, other.stderr);
    t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Done/ });
    for (const host of [n1, n2]) untilVteps(host, true);
    becomeAppliance(n1, f5, own);
    for (const pod of pods) {
      t.equal(ask(pod, 'tcp', own, 8080), pod.address);
      t.equal(ask(f5, 'tcp', pod.address, 8080), own);
    }
    for (const host of [n1, n2]) n1.must('ovn-nbctl', 'lsp-del', `pod-${host.name}`);
    t.match(n2.agent('overlay', 'leave'), { status: 0 }, 'a node leaves');
    t.equal(n2.must('ip', '-oneline', 'link', 'show', 'type', 'vxlan'), '', 'and has no device of the peer');
    t.notMatch(n2.must('ovs-vsctl', 'get', 'Open_vSwitch', '.', 'external_ids'), /evpn/);
    t.match(n1.agent('overlay', 'leave', '--node', 'n2'), { status: 0 });
    const ended = n1.agent('overlay', 'disable');
    t.match(ended, { status: 0 }, ended.stderr);
    t.equal(n1.must('ip', '-oneline', 'link', 'show', 'type', 'vxlan'), '');
    t.equal(n1.must('ovn-nbctl', 'ls-list'), '', 'the cluster has ended with its rows');
    t.end();
  });
}

function refused(t: Test, n1: Host, n2: Host): void {
  t.match(n2.agent(...add), { status: 2, stderr: /not the central node/ });
  const ofNode = add.map((word) => word.replace('192.0.2.60', '192.0.2.12'));
  t.match(n1.agent(...ofNode), { status: 2, stderr: /192\.0\.2\.12 is an address of n2/ });
  t.match(n1.agent('overlay', 'peer', 'list'), { stdout: 'The cluster has no peers.\n' });
  t.end();
}

/** Tests that packets with forged addresses, inside and outside of VXLAN, do not arrive at pods. */
async function forged(
  t: Test,
  [n1, n2, f5, other]: readonly [Host, Host, Host, Host],
  pods: readonly [Pod, Pod],
): Promise<void> {
  const arrived = (pod: Pod, act: () => void): number => {
    const count = datagramsAt(pod);
    act();
    // A permitted datagram arrives after the forged ones, and is counted too.
    ask(f5, 'udp', pod.address, 8053);
    return datagramsAt(pod) - count;
  };
  for (const pod of pods) {
    t.equal(
      arrived(pod, () => send(f5, own, pod.address)),
      4,
      'datagrams of the appliance arrive',
    );
    for (const source of ['10.42.0.10', '10.42.1.10', '10.61.0.5', '100.64.0.2', '198.51.100.1']) {
      f5.must('ip', 'address', 'add', `${source}/32`, 'dev', 'lo');
      t.equal(
        arrived(pod, () => send(f5, source, pod.address)),
        1,
        `those with the source ${source} do not`,
      );
      f5.must('ip', 'address', 'delete', `${source}/32`, 'dev', 'lo');
    }
  }
  for (const address of ['10.42.0.2', '10.42.1.2']) t.equal(attempt(f5, address), '', `${address} is a node itself`);
  for (const address of ['10.43.0.1', '198.51.100.1']) {
    f5.must('ip', 'route', 'add', `${address}/32`, 'via', '10.60.0.1', 'dev', 'vx0');
    t.equal(attempt(f5, address), '', `the appliance does not reach ${address} through the cluster`);
  }
  // Another host sends the same frames in VXLAN.
  becomeAppliance(n1, other, own);
  other.must(
    'ip',
    'neighbour',
    'replace',
    '10.60.0.1',
    'dev',
    'vx0',
    'lladdr',
    '0a:58:0a:3c:00:01',
    'nud',
    'permanent',
  );
  for (const pod of pods)
    t.equal(
      arrived(pod, () => send(other, own, pod.address)),
      1,
      'VXLAN packets of another host are dropped',
    );
  const drop = n1.must('ovs-ofctl', 'dump-flows', 'br-ex', 'table=0,udp,tp_dst=4789');
  t.match(drop, /n_packets=[1-9].*priority=199,.*actions=drop/, 'at the bridge of a gateway');
  other.must('ip', 'link', 'delete', 'vx0');
  await injected(t, n2, other);
  // A host of the LAN sends to a pod through the gateway, with an address of the appliance.
  other.must('ip', 'address', 'add', `${own}/32`, 'dev', 'lo');
  other.must('ip', 'route', 'add', '10.42.0.0/24', 'via', '192.0.2.11');
  n1.write(
    '/etc/microshift/ovn.yaml',
    JSON.stringify({ ovs: { datapathType: 'netdev' }, overlay: { outsideClients: '0.0.0.0/0' } }),
  );
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  t.equal(
    arrived(pods[0], () => send(other, own, pods[0].address)),
    1,
    'the address of the appliance is forged on the LAN',
  );
  n1.write('/etc/microshift/ovn.yaml', JSON.stringify({ ovs: { datapathType: 'netdev' } }));
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  t.match(n2.agent('overlay', 'verify'), { status: 0 });
}

/** Program that adds a character to a file for each datagram from an address that no host has. */
const counter = `
const fs = require('fs');
fs.writeFileSync('/tmp/taken', '');
const socket = require('dgram').createSocket('udp4');
socket.on('message', (_, { address }) => address === '198.51.100.9' && fs.appendFileSync('/tmp/taken', 'x'));
socket.bind(8053, () => console.log('ready'));
`;

/**
 * Tests that the kernel of a node takes no packet from a VXLAN device, which receives at another port than Open
 * vSwitch. Without its bridge, the device would let in packets with any addresses.
 */
async function injected(t: Test, node: Host, sender: Host): Promise<void> {
  const ends = ['id', '0', 'dstport', '6077', 'local', sender.address, 'remote', node.address];
  sender.must('ip', 'link', 'add', 'vx1', 'address', '02:00:00:00:00:09', 'type', 'vxlan', ...ends);
  sender.must('ip', 'link', 'set', 'vx1', 'up');
  sender.must('ip', 'address', 'add', '198.51.100.9/24', 'dev', 'vx1');
  const neighbour = ['10.42.1.2', 'dev', 'vx1', 'lladdr', '0a:58:76:74:65:70'];
  sender.must('ip', 'neighbour', 'replace', ...neighbour, 'nud', 'permanent');
  sender.must('ip', 'route', 'add', '10.42.1.2/32', 'dev', 'vx1');
  node.must('sysctl', '-qw', 'net.ipv4.conf.all.rp_filter=0', 'net.ipv4.conf.vxlan-0.rp_filter=0');
  const listener = node.start(process.execPath, '-e', counter);
  await ready(listener);
  const received = '/sys/class/net/vxlan-0/statistics/rx_packets';
  const frames = Number(node.must('cat', received));
  send(sender, '198.51.100.9', '10.42.1.2');
  node.must('sh', '-c', `until [ "$(cat ${received})" -ge ${frames + 3} ]; do sleep 0.2; done`);
  node.must('ip', 'link', 'set', 'dev', 'vxlan-0', 'nomaster');
  send(sender, '198.51.100.9', '10.42.1.2');
  node.must('sh', '-c', 'until [ "$(wc -c < /tmp/taken)" -ge 3 ]; do sleep 0.2; done');
  t.equal(node.must('cat', '/tmp/taken'), 'xxx', 'the kernel takes packets of the device only without the bridge');
  listener.kill();
  t.match(node.agent('overlay', 'apply'), { status: 0, stdout: /^Done, 1 change/ });
  sender.must('ip', 'link', 'delete', 'vx1');
}

/** Tests the trace of packets to the appliance and from it, on the central node and on a member. */
function traced(t: Test, nodes: readonly Host[]): void {
  for (const host of nodes) {
    const pod = `pod-${host.name}`;
    const to = host.agent('overlay', 'trace', pod, own, '--tcp', '8080', '--back');
    const words = `Leaves ${host.name} in VXLAN to 192.0.2.60 with VNI 0, for the peer f5, from 10.42.`;
    t.match(to, { status: 0 }, to.stdout + to.stderr);
    t.ok(to.stdout.includes(words), 'the end of the path', { stdout: to.stdout });
    t.match(to.stdout, /ovn-trace follows it no further/);
    t.match(to.stdout, /out by ovn-evpn-4789, in VXLAN to 192\.0\.2\.60, VNI 0/, 'as Open vSwitch sends it');
    t.match(to.stdout, new RegExp(`Reply:[\\s\\S]*Delivered to ${pod} on ${host.name}, from 10\\.60\\.0\\.5`));
    // Only the central node shows the names of rows.
    if (host === nodes[0]) t.match(to.stdout, /by policy reroute, .* of peer f5/);
  }
  const from = nodes[0]?.agent('overlay', 'trace', own, 'pod-n2', '--tcp', '8080');
  t.match(from, { status: 0, stdout: /Delivered to pod-n2 on n2, from 10\.60\.0\.5/ }, from?.stdout ?? '');
  t.end();
}

/** Tests that missing rows, devices and entries are reported and made again. */
async function drifted(t: Test, [n1, n2]: readonly [Host, Host], f5: Host, pods: readonly [Pod, Pod]): Promise<void> {
  const mac = '0a:58:0a:3c:00:02';
  n1.must('bridge', 'fdb', 'delete', mac, 'dev', 'vxlan-0', 'dst', '192.0.2.60');
  n1.must('ovn-nbctl', 'lr-policy-del', 'ovn_cluster_router', '1003');
  n1.must('ip', 'link', 'set', 'dev', 'vxlan-drop', 'up');
  const { status, stdout } = n1.agent('overlay', 'verify');
  t.equal(status, 3);
  for (const drift of [
    /vxlan-0 does not name 192\.0\.2\.60/,
    /10\.60\.0\.0\/24 is the network of the peer f5/,
    /vxlan-drop must not forward packets/,
  ])
    t.match(stdout, drift);
  t.match(n1.agent('overlay', 'apply'), { status: 0, stdout: /^Done/ });
  n1.must('bridge', 'fdb', 'add', '02:00:00:00:00:77', 'dev', 'vxlan-0', 'dst', '192.0.2.70', 'static', 'extern_learn');
  t.match(n1.agent('overlay', 'verify'), { status: 3, stdout: /another VTEP or MAC/ });
  t.match(n1.agent('overlay', 'apply'), { status: 0, stdout: /^Done, 1 change/ });
  n2.must('ovs-vsctl', 'remove', 'Open_vSwitch', '.', 'external_ids', 'ovn-evpn-vxlan-ports');
  t.match(n2.agent('overlay', 'verify'), { status: 3 });
  t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Done/ });
  const daemon = await startDaemon(n2);
  n2.must('ip', 'link', 'delete', 'dev', 'vxlan-0');
  n2.must('sh', '-c', `until bridge fdb show dev vxlan-0 2> /dev/null | grep -q ${mac}; do sleep 0.2; done`);
  t.pass('the daemon makes a deleted device again');
  t.equal(await daemon.stop(), 0);
  for (const host of [n1, n2]) {
    untilVteps(host, true);
    t.match(host.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
  }
  for (const pod of pods) t.equal(ask(f5, 'tcp', pod.address, 8080), own, 'packets arrive again');
}
