// Packets between pods of nodes on one segment, without a tunnel: both directions and both families, a third node that
// is reached through tunnels, forged packets, policies, a switch that filters, the removal, a cluster without tunnels
// between pods, and runs that are killed.
import t, { type Test } from 'tap';
import type { PodPath } from '../../agent/model/direct-node.ts';
import { startDaemon } from './daemon.ts';
import { flowAppears, flowDisappears } from './flow-appears.ts';
import { configure, dualStack, form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { type Change, killInTurn } from './kills.ts';
import { sixOf } from './neighbours.ts';
import { ask, askWith, attempt } from './one-request.ts';
import { oneOvn, ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { pingScript } from './ping.ts';
import { balance, datagramsAt, type Pod, startPod } from './services.ts';
import { talk } from './talk.ts';

/** Hops of a packet between pods of two nodes: one router through a tunnel, four routers by a direct route. */
const ttl = { tunnel: 63, direct: 60 } as const;
const cookie = 'cookie=0x6d6e6f766c79/-1';
/** Flows by which the bridge of a node drops packets with addresses of pods, as a switch can do, for each family. */
const filters = {
  v4: 'cookie=0x1,priority=300,ip,nw_src=10.42.0.0/24',
  v6: 'cookie=0x1,priority=300,ipv6,ipv6_src=fd01::/64',
} as const;
/** Flow by which the bridge of a node drops packets of tunnels. */
const noTunnels = 'cookie=0x2,priority=300,udp,tp_dst=6081';
const gatewayWords = ['overlay', 'gateway', '--next-hop', '192.0.2.254,2001:db8::fe'] as const;

for (const which of ovnsHere())
  t.test(`pods are reached without a tunnel, OVN: ${which}`, { skip: missingForHosts() ?? false }, (t) =>
    directly(t, which),
  );

/** Returns the TTL with which a pod answers another one. */
function ttlOf(from: Pod, to: Pod): number {
  return Number(from.must('perl', '-e', pingScript, '--', to.address));
}

/** Returns the rows and flows that direct routes may have changed, as text for a comparison. */
function stateOf(central: Host, gateways: readonly Host[]): string {
  const list = (table: string, columns: string): string =>
    central
      .must('ovn-nbctl', '--bare', '--no-headings', `--columns=${columns}`, 'list', table)
      .split('\n')
      .toSorted()
      .join('\n');
  return [
    list('Logical_Router_Policy', 'priority,match,action,nexthops'),
    list('NAT', 'logical_ip,external_ip,exempted_ext_ips'),
    list('ACL', 'priority,match'),
    list('Address_Set', 'name'),
    central.must('ovn-sbctl', 'get', 'SB_Global', '.', 'external_ids').includes('microshift-net-direct'),
    ...gateways.map((host) => host.must('ovs-ofctl', '--no-stats', 'dump-flows', 'br-ex', cookie)),
    ...gateways.map((host) => host.must('ovs-vsctl', 'get', 'Open_vSwitch', '.', 'external_ids:ovn-cms-options')),
  ].join('\n');
}

/** Waits until a node has direct routes of a family, or has none. */
function untilDirect(central: Host, node: Host, isThere: boolean, family: 'v4' | 'v6' = 'v4'): void {
  const set = `direct_${node.name}_${family}`;
  const isGone = `[ -z "$(ovn-nbctl --bare --columns=name find Address_Set name=${set})" ]`;
  // `wait-until` cannot wait until a row is gone.
  const wait = isThere ? `ovn-nbctl wait-until Address_Set ${set}` : `until ${isGone}; do sleep 0.5; done`;
  central.must('sh', '-c', `${wait} && ovn-nbctl --wait=hv sync`);
}

async function directly(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2, n3] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('n3', 13)];
  const other = await lan.host('other', 60);
  // This setting keeps the kernel from answering ARP on the NIC. With the kernel's data path, the kernel does not
  // answer on a NIC that is a port.
  for (const host of [n1, n2, n3, other]) {
    host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8', 'net.ipv6.conf.eth0.disable_ipv6=1');
    host.must('ip', 'address', 'add', `${sixOf(host)}/64`, 'dev', 'br-ex', 'nodad');
    configure(host, dualStack);
  }
  form(t, [n1, n2, n3], { n2: ['--gateway', sixOf(n2)], n3: ['--gateway', sixOf(n3)] });
  for (const host of [n1, n2]) t.match(host.agent(...gatewayWords), { status: 0 });
  for (const host of [n1, n2]) t.match(host.agent('overlay', 'apply'), { status: 0 });
  const [p1, p2, p3] = [
    await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64'),
    await startPod(n1, n2, '10.42.1.0/24', 'fd01:0:0:1::/64'),
    await startPod(n1, n3, '10.42.2.0/24', 'fd01:0:0:2::/64'),
  ] as const;
  const before = stateOf(n1, [n1, n2]);
  t.equal(ttlOf(p1, p2), ttl.tunnel, 'pods are reached through tunnels by default');
  const lasting = await talk(p1, p2, p2.address);
  t.equal(await lasting.say('one'), 'one');

  for (const host of [n1, n2]) configure(host, { ...dualStack, encapsulation: 'auto' });
  const daemons = [await startDaemon(n1), await startDaemon(n2)] as const;
  for (const host of [n1, n2]) for (const family of ['v4', 'v6'] as const) untilDirect(n1, host, true, family);

  await t.test('packets', async (t) => {
    for (const [from, to] of [
      [p1, p2],
      [p2, p1],
    ] as const) {
      t.equal(ttlOf(from, to), ttl.direct, `${from.address} reaches ${to.address} without a tunnel`);
      t.equal(ask(from, 'tcp', to.address, 8080), from.address, 'over TCP with its own address');
      t.equal(ask(from, 'udp', to.address, 8053), from.address, 'over UDP with its own address');
      for (const bytes of [1372, 4000]) t.equal(askWith(from, to.address, bytes), from.address, `with ${bytes} bytes`);
      t.equal(ttlOf(from, p3), ttl.tunnel, 'a node without a gateway is reached through a tunnel');
      t.equal(ask(p3, 'tcp', from.address, 8080), p3.address, 'and reaches the pods');
    }
    t.equal(await lasting.say('two'), 'two', 'a connection continues by the direct route');
    t.equal(ask(n1, 'tcp', p2.address, 8080), '10.42.0.2', 'the node itself reaches pods of other nodes');
    balance(
      n1,
      'web',
      'tcp',
      { '10.43.0.80:80': `${p2.address}:8080`, '192.0.2.11:30080': `${p2.address}:8080` },
      'none',
    );
    await flowAppears(n1, 'br-ex', /tp_dst=30080/);
    t.equal(ask(p1, 'tcp', '10.43.0.80', 80), p1.address, 'a service is reached by the direct route');
    t.match(ask(other, 'tcp', '192.0.2.11', 30_080), /^100\.64\.0\./, 'a NodePort is reached through the tunnel');
    n1.must('ovn-nbctl', 'lb-del', 'web');
    for (const host of [n1, n2]) await flowDisappears(host, 'br-ex', /tp_dst=30080/);
  });

  await t.test('IPv6', (t) => {
    // Only direct routes are left for packets between the pods.
    n2.must('ovs-ofctl', 'add-flow', 'br-ex', `${noTunnels},actions=drop`);
    for (const [from, to] of [
      [p1, p2],
      [p2, p1],
    ] as const) {
      t.equal(ask(from, 'tcp', to.address6, 8080), from.address6, `${from.address6} reaches ${to.address6} over TCP`);
      t.equal(ask(from, 'udp', to.address6, 8053), from.address6, 'over UDP');
      for (const bytes of [1352, 4000])
        t.equal(askWith(from, to.address6, bytes), from.address6, `with ${bytes} bytes`);
    }
    n2.must('ovs-ofctl', 'del-flows', 'br-ex', 'cookie=0x2/-1');
    n2.must('ovs-ofctl', 'add-flow', 'br-ex', `${filters.v6},actions=drop`);
    for (const host of [n1, n2]) untilDirect(n1, host, false, 'v6');
    t.equal(ask(p1, 'tcp', p2.address6, 8080), p1.address6, 'a switch that filters: pods are reached through tunnels');
    t.equal(ttlOf(p1, p2), ttl.direct, 'IPv4 keeps the direct route');
    n2.must('ovs-ofctl', 'del-flows', 'br-ex', 'cookie=0x1/-1');
    for (const host of [n1, n2]) untilDirect(n1, host, true, 'v6');
    t.end();
  });

  if (which === oneOvn())
    await t.test('a second run writes nothing, and a trace shows the route', (t) => shown(t, [n1, n2], [p1, p2]));

  for (const family of ['v4', 'v6'] as const)
    await t.test(`forged packets, ${family}`, (t) => forged(t, [n1, n2, other], p2, family));
  await t.test('a member that writes another MAC for a neighbour', (t) => {
    const place = ['logical_port=rtoe-GR_n1', 'ip=192.0.2.12'];
    const find = (column: string, ...words: readonly string[]): string =>
      n1.must('ovn-sbctl', '--bare', `--columns=${column}`, 'find', ...words).trim();
    const learned = find('_uuid', 'MAC_Binding', ...place);
    if (learned !== '') n1.must('ovn-sbctl', 'destroy', 'MAC_Binding', learned);
    const lie = [...place, 'mac="52:54:00:00:00:99"', `datapath=${find('datapath', 'Port_Binding', place[0] ?? '')}`];
    const row = n1.must('ovn-sbctl', 'create', 'MAC_Binding', ...lie).trim();
    n1.must('ovn-nbctl', '--wait=hv', 'sync');
    t.equal(ttlOf(p1, p2), ttl.direct, 'does not change the next hop');
    n1.must('ovn-sbctl', 'destroy', 'MAC_Binding', row);
    t.end();
  });
  await t.test('a network policy applies', (t) => restricted(t, n1, [p1, p2]));

  await t.test('a switch that filters', async (t) => {
    n2.must('ovs-ofctl', 'add-flow', 'br-ex', `${filters.v4},actions=drop`);
    for (const host of [n1, n2]) untilDirect(n1, host, false);
    t.equal(ttlOf(p1, p2), ttl.tunnel, 'pods are reached through tunnels');
    t.equal(await lasting.say('three'), 'three', 'a connection continues through the tunnel');
    if (which === oneOvn()) {
      t.match(n2.agent('overlay', 'verify'), { status: 0, stdout: /no packet of n1 \(192\.0\.2\.11\) arrives/ });
      t.match(n1.agent('overlay', 'verify'), { status: 0 });
    }
    n2.must('ovs-ofctl', 'del-flows', 'br-ex', 'cookie=0x1/-1');
    for (const host of [n1, n2]) untilDirect(n1, host, true);
    t.equal(ttlOf(p2, p1), ttl.direct, 'without the filter, the direct route is used again');
    t.equal(await lasting.say('four'), 'four');
  });

  for (const daemon of daemons) t.equal(await daemon.stop(), 0);
  t.equal(ttlOf(p1, p2), ttl.direct, 'the routes stay while the daemons are stopped');
  configure(n1, dualStack);
  t.match(n1.agent('overlay', 'apply'), { status: 0, stdout: /^Done/ });
  configure(n2, dualStack);
  t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Done/ });
  await flowDisappears(n2, 'br-ex', /tp_dst=6079/);
  t.equal(stateOf(n1, [n1, n2]), before, 'nothing of the direct routes is left');
  t.equal(ttlOf(p1, p2), ttl.tunnel);
  t.equal(await lasting.say('five'), 'five');
  // The rows and flows are the same with `never`, so one release shows what the setting changes.
  if (which !== oneOvn()) return;
  await t.test('without tunnels', (t) => onlyDirectly(t, [n1, n2], [p1, p2]));
  await t.test('runs between never and always that are killed', (t) => killed(t, n1, [p1, p2]));
}

/** Tests that a second run writes nothing, and the words of the commands that show the paths. */
function shown(t: Test, [n1, n2]: readonly [Host, Host], [p1, p2]: readonly [Pod, Pod]): void {
  for (const host of [n1, n2]) {
    t.match(host.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
    const verified = host.agent('overlay', 'verify');
    t.match(verified, { status: 0 }, verified.stdout);
    t.notMatch(verified.stdout, /without a tunnel/);
  }
  const listed = n1.agent('overlay', 'nodes').stdout;
  t.match(listed, /^Pods of n3: through a tunnel \(IPv4 and IPv6\): n3 is not a gateway$/m);
  t.notMatch(listed, /Pods of n2/);
  const status = JSON.parse(n2.agent('overlay', 'status', '--output', 'json').stdout);
  t.strictSame(
    status.paths.map(({ node, family, way }: PodPath) => [node, family, way].join(' ')),
    ['n1 ipv4 direct', 'n1 ipv6 direct', 'n3 ipv4 tunnel', 'n3 ipv6 tunnel'],
    'a member shows its paths',
  );
  t.match(n1.agent('overlay', 'status').stdout, /Pods of other nodes:\n {2}n2 by a direct route \(IPv4 and IPv6\)\n/);
  const traced = n1.agent('overlay', 'trace', p1.address, p2.address, '--tcp', '8080', '--back');
  t.match(traced, { status: 0, stdout: /direct route from n1 to n2 over the LAN/ }, traced.stdout + traced.stderr);
  t.match(traced.stdout, /direct route from n2 to n1 over the LAN/);
  t.match(traced.stdout, /Delivered to pod-n2 on n2, from 10\.42\.0\.9\./);
  t.end();
}

/** Command that prints the MTU of pods that the central node publishes, and nothing if pods have the MTU of tunnels. */
const podMtu = ['ovn-sbctl', '--if-exists', 'get', 'SB_Global', '.', 'external_ids:microshift-net-pod-mtu'] as const;

/**
 * Changes the setting to `never`: it has no effect while a node has no direct route, or a switch filters. Packets of
 * pods then have the whole MTU of the uplink, and no tunnel replaces a direct route that is missing or broken.
 */
async function onlyDirectly(t: Test, [n1, n2]: readonly [Host, Host], [p1, p2]: readonly [Pod, Pod]): Promise<void> {
  const refused = (command: 'plan' | 'apply', reason: RegExp): void => {
    const { status, stderr } = n1.agent('overlay', command);
    t.match({ status, stderr: stderr.replaceAll(/\s+/g, ' ') }, { status: 2, stderr: reason }, command);
    t.equal(n1.must(...podMtu).trim(), '', 'nothing has changed');
  };
  const verified = (host: Host, fault: RegExp): void => {
    const { status, stdout } = host.agent('overlay', 'verify');
    t.match({ status, stdout: stdout.replaceAll(/\s+/g, ' ') }, { status: 3, stdout: fault }, `verify on ${host.name}`);
  };
  for (const host of [n1, n2]) configure(host, { ...dualStack, encapsulation: 'never' });
  refused('plan', /n2 announces no direct routes \(\d further reasons.*ovn\.yaml of n2/);
  verified(n1, /never has no effect.*n3 is not a gateway; .*overlay gateway, on n3/);
  t.match(n1.agent('overlay', 'leave', '--node', 'n3'), { status: 0 });
  for (const family of ['v4', 'v6'] as const)
    n2.must('ovs-ofctl', 'add-flow', 'br-ex', `${filters[family]},actions=drop`);
  const daemons = [await startDaemon(n1, /READY=1/), await startDaemon(n2)];
  n1.must('sh', '-c', "until ovn-sbctl list Chassis | grep -q 'direct:n2/ipv6'; do sleep 0.5; done");
  refused('apply', /no packet of n1 arrives at n2 without a tunnel: a switch/);
  t.equal(ttlOf(p1, p2), ttl.tunnel, 'pods are reached through tunnels');
  n2.must('ovs-ofctl', 'del-flows', 'br-ex', 'cookie=0x1/-1');
  n1.must('sh', '-c', `until [ -n "$(${podMtu.join(' ')})" ]; do sleep 0.5; done; ovn-nbctl --wait=hv sync`);
  t.equal(n1.must(...podMtu).trim(), '"1500"', 'without the filter, the setting has an effect');
  t.equal(ttlOf(p1, p2), ttl.direct);

  for (const [pod, name] of [
    [p1, 'pod-n1'],
    [p2, 'pod-n2'],
  ] as const)
    pod.must('ip', 'link', 'set', name, 'mtu', '1500');
  for (const [from, to] of [
    [p1, p2],
    [p2, p1],
  ] as const) {
    t.equal(askWith(from, to.address, 1472), from.address, `${from.address}: a packet with the MTU of the uplink`);
    t.equal(askWith(from, to.address6, 1452), from.address6, `${from.address6}: the same`);
    t.equal(ask(n1, 'tcp', to.address, 8080), '10.42.0.2', 'a node reaches pods');
  }
  for (const host of [n1, n2]) {
    t.match(host.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
    const { status, stdout } = host.agent('overlay', 'verify');
    t.equal(status, 0, stdout);
  }

  n2.must('ovs-ofctl', 'add-flow', 'br-ex', `${filters.v4},actions=drop`);
  n1.must('sh', '-c', "while ovn-sbctl list Chassis | grep -q 'direct:n1[,\"]'; do sleep 0.5; done");
  t.equal(attempt(p1, p2.address), '', 'no tunnel replaces a direct route that breaks');
  verified(n1, /pods do not reach each other.*no packet of n1 arrives at n2/);
  verified(n2, /no packet of n1 \(192\.0\.2\.11\) arrives without a tunnel, so its pods are not reached/);
  t.match(n2.agent('overlay', 'status').stdout, /n1 not reached \(IPv4\): no packet of n1 arrives at n2/);
  n2.must('ovs-ofctl', 'del-flows', 'br-ex', 'cookie=0x1/-1');
  t.equal(ttlOf(p1, p2), ttl.direct, 'the repaired segment is used at once');

  t.match(n2.agent('overlay', 'gateway', '--remove'), { status: 0 });
  n1.must(
    'sh',
    '-c',
    'while ovn-nbctl list Logical_Router | grep -q GR_n2; do sleep 0.5; done; ovn-nbctl --wait=hv sync',
  );
  t.equal(attempt(p1, p2.address), '', 'no tunnel reaches a node that has no gateway any more');
  t.equal(ask(n1, 'tcp', p2.address, 8080), '10.42.0.2', 'a node reaches its pods');
  verified(n1, /pods do not reach each other.*n2 is not a gateway/);
  verified(n2, /pods of n2 and of other nodes do not reach each other/);
  t.match(n2.agent(...gatewayWords), { status: 0 });
  for (const host of [n1, n2]) for (const family of ['v4', 'v6'] as const) untilDirect(n1, host, true, family);
  t.equal(ttlOf(p1, p2), ttl.direct, 'with the gateway, its pods are reached again');
  n1.must(
    'sh',
    '-c',
    "until ovn-sbctl list Chassis | grep -q 'direct:n1/ipv6' && ovn-sbctl list Chassis | grep -q 'direct:n2/ipv6'; do sleep 0.5; done",
  );
  for (const daemon of daemons) t.equal(await daemon.stop(), 0);
}

/** Values of `overlay.encapsulation`. */
type Encapsulation = 'always' | 'auto' | 'never';

/**
 * Kills the run that replaces the setting `never` by `always`, and the run that sets it again, before each of their
 * effects. Pods reach each other at any time, and the next run ends what was begun. Runs between `never` and `auto`
 * make some of these effects, and are only completed.
 */
function killed(t: Test, central: Host, [from, to]: readonly [Pod, Pod]): void {
  const options = ['Open_vSwitch', '.', 'external_ids:ovn-cms-options'] as const;
  const announced = central.must('ovs-vsctl', 'get', ...options).trim();
  const apply = ['overlay', 'apply'] as const;
  const prepare = (encapsulation: Encapsulation): void => {
    configure(central, { ...dualStack, encapsulation });
    // No daemon hears the neighbour, so the announcement is written by hand.
    if (encapsulation !== 'always') central.must('ovs-vsctl', 'set', 'Open_vSwitch', '.', `${options[2]}=${announced}`);
    central.must('ovn-nbctl', '--wait=hv', 'sync');
  };
  const become = (encapsulation: Encapsulation, title: string): void => {
    prepare(encapsulation);
    t.match(central.agent(...apply), { status: 0 }, title);
    central.must('ovn-nbctl', '--wait=hv', 'sync');
    t.equal(ttlOf(from, to), encapsulation === 'always' ? ttl.tunnel : ttl.direct, title);
    t.equal(central.must(...podMtu).trim(), encapsulation === 'never' ? '"1500"' : '', `${title}: MTU of pods`);
  };
  const change = (before: Encapsulation, after: Encapsulation): Change => ({
    words: apply,
    prepare: () => prepare(after),
    killed: (step) => {
      t.ok(ttlOf(from, to), `killed at ${step}: pods are reached`);
      become(after, `killed at ${step}: the next run`);
    },
    complete: (ended, effects) => {
      t.match(ended, { status: 0 });
      t.ok(effects > 1, `from ${before} to ${after}, the run has ${effects} effects`);
      become(after, 'the complete run');
    },
  });
  killInTurn(central, [change('never', 'always'), change('always', 'never')], true);
  for (const next of ['never', 'auto', 'never'] as const) become(next, `a run that sets ${next}`);
  t.end();
}

/**
 * Program that sends a UDP packet in a frame: MACs of the receiver and the sender, and addresses of the sender and the
 * receiver.
 */
const frame = `
  use Socket;
  my ($to, $from, $source, $destination) = @ARGV;
  my $udp = pack('nnnn a*', 4000, 8053, 9, 0, '?');
  my $head = sub { pack('CCnnnCCn a4 a4', 0x45, 0, 29, 1, 0, 64, 17, $_[0], inet_aton($source), inet_aton($destination)) };
  my $sum = unpack('%32n*', $head->(0));
  $sum = ($sum & 0xffff) + ($sum >> 16) for 1 .. 2;
  my ($index) = qx(ip -o link show eth0) =~ /^(\\d+)/;
  socket(my $socket, 17, SOCK_RAW, 0) or die $!;
  send($socket, pack('H12 H12 n', $to, $from, 0x0800) . $head->(~$sum & 0xffff) . $udp, 0, pack('S n i S C C x8', 17, 0x0800, $index, 0, 0, 6)) or die $!;
`;

/** The same program for IPv6. */
const frame6 = `
  use Socket qw(inet_pton AF_INET6 SOCK_RAW);
  my ($to, $from, @addresses) = @ARGV;
  my $both = join '', map { inet_pton(AF_INET6, $_) } @addresses;
  my $udp = sub { pack('nnnn a*', 4000, 8053, 9, $_[0], '?') };
  my $sum = unpack('%32n*', $both . pack('N N', 9, 17) . $udp->(0) . chr(0));
  $sum = ($sum & 0xffff) + ($sum >> 16) for 1 .. 2;
  my ($index) = qx(ip -o link show eth0) =~ /^(\\d+)/;
  socket(my $socket, 17, SOCK_RAW, 0) or die $!;
  my $packet = pack('N n C C', 0x60000000, 9, 17, 64) . $both . $udp->(~$sum & 0xffff);
  send($socket, pack('H12 H12 n', $to, $from, 0x86dd) . $packet, 0, pack('S n i S C C x8', 17, 0x86dd, $index, 0, 0, 6)) or die $!;
`;

/** Addresses of the cluster that another host uses as a source. */
const forgeries = {
  v4: { pod: '10.42.0.9', nodes: ['10.42.0.2', '10.42.1.2'], others: ['10.42.2.9', '100.64.0.2'] },
  v6: { pod: 'fd01::9', nodes: ['fd01::2', 'fd01:0:0:1::2'], others: ['fd01:0:0:2::9', 'fd98::2'] },
} as const;

/**
 * Sends packets with addresses of the cluster from another host of the LAN. None of them arrives at a pod, except those
 * that have both the address of a pod of a neighbour and the MAC of that neighbour.
 */
function forged(t: Test, [n1, n2, other]: readonly [Host, Host, Host], victim: Pod, family: 'v4' | 'v6'): void {
  const [program, count] = family === 'v4' ? ([frame, 'Udp'] as const) : ([frame6, 'Udp6'] as const);
  const { pod, nodes, others } = forgeries[family];
  const macOf = (host: Host): string =>
    host.must('ip', '-o', 'link', 'show', 'br-ex').replaceAll(/.*ether (\S+).*\s/gs, '$1');
  const [own, its, to] = [other, n1, n2].map((host) => macOf(host).replaceAll(':', '')) as [string, string, string];
  const send = (from: string, source: string): void => {
    other.must('perl', '-e', program, '--', to, from, source, family === 'v4' ? victim.address : victim.address6);
  };
  const before = datagramsAt(victim, count);
  for (const source of [pod, ...nodes, ...others]) send(own, source);
  for (const source of [...nodes, ...others]) send(its, source);
  send(its, pod);
  while (datagramsAt(victim, count) === before) n2.must('sleep', '0.1');
  t.equal(datagramsAt(victim, count), before + 1, 'only the packet with the MAC of the node of its pod arrives');
  t.end();
}

/** Tests that a policy decides about packets of the direct route by the address of the pod that sends them. */
function restricted(t: Test, central: Host, [from, to]: readonly [Pod, Pod]): void {
  const rule = (priority: number, match: string, action: string): void => {
    central.must('ovn-nbctl', 'acl-add', 'closed', 'to-lport', `${priority}`, `outport == @closed && ${match}`, action);
  };
  central.must('ovn-nbctl', 'pg-add', 'closed', 'pod-n2');
  rule(1000, 'ip', 'drop');
  rule(1001, 'arp', 'allow');
  central.must('ovn-nbctl', '--wait=hv', 'sync');
  t.equal(attempt(from, to.address), '', 'the policy blocks the pod');
  rule(1002, `ip4.src == ${from.address}`, 'allow-related');
  central.must('ovn-nbctl', '--wait=hv', 'sync');
  t.equal(ask(from, 'tcp', to.address, 8080), from.address, 'the policy permits the pod by its address');
  central.must('ovn-nbctl', '--wait=hv', 'pg-del', 'closed');
  t.end();
}
