// Outside clients reach pods at the pods' own addresses, by a route to a gateway that shares its node's address and to
// a gateway with an address of its own; packets are tested in both directions.
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { configure, dualStack, form } from './form.ts';
import { type Host, missingForHosts, program, startLan } from './hosts.ts';
import { ask, attempt } from './one-request.ts';
import { oneOvn, type WhichOvn } from './ovn-of-nodes.ts';
import { ping } from './ping.ts';
import { type Pod, serve, startPod } from './services.ts';
import { talk } from './talk.ts';

const cookie = 'cookie=0x6d6e6f766c79/-1';

t.test('pods are reached by a route', { skip: missingForHosts() ?? false }, (t) => routed(t, oneOvn()));

/** A gateway's node, and a client of its pods on the LAN of its gateway. */
interface Side {
  readonly node: Host;
  readonly pod: Pod;
  readonly bridge: string;
  /** Addresses of the gateway, which are next hops of the client. */
  readonly hops: readonly string[];
  /** Addresses of the client from which it may reach the pods. */
  readonly permitted: readonly string[];
  /** Addresses of the client from which it may not reach the pods. */
  readonly others: readonly string[];
}

/** Sends three datagrams from one of the sender's addresses. */
function send(from: Host, own: string, address: string): void {
  const script = `
    const socket = require('dgram').createSocket('udp${own.includes(':') ? 6 : 4}');
    const next = (left) => left === 0 ? socket.close() : socket.send('?', 8053, '${address}', () => next(left - 1));
    socket.bind(0, '${own}', () => next(3));`;
  from.must(process.execPath, '-e', script);
}

/** Returns the number of datagrams that have arrived at a pod, of both families (proc_net(5), snmp and snmp6). */
function datagramsAt(pod: Pod): number {
  const counts = pod.must(
    'awk',
    '/^Udp6InDatagrams/ { print $2 } /^Udp: [0-9]/ { print $2 }',
    '/proc/net/snmp',
    '/proc/net/snmp6',
  );
  return counts
    .trim()
    .split('\n')
    .reduce((sum, count) => sum + Number(count), 0);
}

async function routed(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  const [n3, client] = [await lan.host('n3', 13, ['eth1']), await lan.host('client', 50, ['eth1'])];
  for (const host of [n1, n2, n3, client]) {
    // These settings keep the kernel from answering ARP and neighbour discovery on the NIC. With the kernel's data
    // path, the kernel does not answer on a NIC that is a port.
    host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8', 'net.ipv6.conf.eth0.disable_ipv6=1');
    host.must('ip', 'address', 'add', `2001:db8::${host.address.split('.')[3]}/64`, 'dev', 'br-ex', 'nodad');
    configure(host, dualStack);
  }
  for (const [address, device] of [
    ['192.0.2.51/24', 'br-ex'],
    ['2001:db8::51/64', 'br-ex'],
    ['203.0.113.50/24', 'eth1'],
    ['203.0.113.51/24', 'eth1'],
    ['2001:db8:1::50/64', 'eth1'],
    ['2001:db8:1::51/64', 'eth1'],
  ] as const)
    client.must('ip', 'address', 'add', address, 'dev', device, ...(address.includes(':') ? ['nodad'] : []));
  client.must('ethtool', '-K', 'eth1', 'tx', 'off');
  client.must('ip', 'link', 'set', 'eth1', 'up');
  form(t, [n1, n2, n3], {
    n2: ['--gateway', '2001:db8::12'],
    n3: ['--gateway', '203.0.113.13,2001:db8:1::13'],
  });
  t.match(n2.agent('overlay', 'gateway', '--next-hop', '192.0.2.254,2001:db8::fe'), { status: 0 });
  const own = ['--address', '203.0.113.13/24,2001:db8:1::13/64', '--next-hop', '203.0.113.254,2001:db8:1::fe'];
  const made = n3.agent('overlay', 'gateway', '--interface', 'eth1', ...own);
  t.match(made, { status: 0 }, 'a gateway with addresses of its own', { stderr: made.stderr });
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  for (const host of [n2, n3]) t.match(host.agent('overlay', 'apply'), { status: 0 });
  const far = await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64');
  const pods = [
    await startPod(n1, n2, '10.42.1.0/24', 'fd01:0:0:1::/64'),
    await startPod(n1, n3, '10.42.2.0/24', 'fd01:0:0:2::/64'),
  ] as const;
  for (const host of [n2, n3, client]) await serve(host);
  const shared: Side = {
    node: n2,
    pod: pods[0],
    bridge: 'br-ex',
    hops: ['192.0.2.12', '2001:db8::12'],
    permitted: ['192.0.2.50', '2001:db8::50'],
    others: ['192.0.2.51', '2001:db8::51'],
  };
  const dedicated: Side = {
    node: n3,
    pod: pods[1],
    bridge: 'br-gweth1',
    hops: ['203.0.113.13', '2001:db8:1::13'],
    permitted: ['203.0.113.50', '2001:db8:1::50'],
    others: ['203.0.113.51', '2001:db8:1::51'],
  };
  const watch = n1.start(process.execPath, program, 'overlay', 'routes', '--watch', '--output', 'json');
  const lines = createInterface({ input: watch.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  await t.test('a gateway that shares the address of its node', (t) => reached(t, shared, client, n1, far, lines));
  await t.test('a gateway with an address of its own', (t) => reached(t, dedicated, client, n1, far, lines));
}

/** Reads the states that `overlay routes --watch` prints until the next hops of a node are these. */
async function untilRoutes(lines: AsyncIterator<string>, node: Host, nextHops: readonly string[]): Promise<void> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('overlay routes --watch has ended');
    const { routes } = JSON.parse(value) as { routes: readonly { node: string; nextHop: string }[] };
    if (
      routes
        .filter((one) => one.node === node.name)
        .map(({ nextHop }) => nextHop)
        .join() === nextHops.join()
    )
      return;
  }
}

/** Replaces the client's routes to a side's pods by the routes that the central node prints. */
function routeAsPrinted(t: Test, client: Host, central: Host, { node, hops }: Side, subnets: readonly string[]): void {
  for (const subnet of subnets) client.must('ip', 'route', 'delete', subnet);
  const { status, stdout } = central.agent('overlay', 'routes', '--format', 'linux');
  t.equal(status, 0);
  t.strictSame(
    stdout.split('\n').filter((line) => line.startsWith('route')),
    subnets.map((subnet, index) => `route replace ${subnet} via ${hops[index]}`),
    `routes to pods of ${node.name}, and to no others`,
  );
  t.match(stdout, /^# n1, no route to 10\.42\.0\.0\/24: the node is not a gateway$/m);
  t.match(
    client.run(['ip', '-batch', '-'], stdout),
    { status: 0, stderr: '' },
    'ip -batch accepts the printed routes with their comments',
  );
}

/** Tests which pods of one side answer before the key is set, while it is set, and after its removal. */
async function reached(
  t: Test,
  side: Side,
  client: Host,
  central: Host,
  far: Pod,
  lines: AsyncIterator<string>,
): Promise<void> {
  const { node, pod, bridge, hops, permitted, others } = side;
  const places = [pod.address, pod.address6] as const;
  const nodeItself = places.map((address) => address.replace(/9$/, '2'));
  const flows = (): string => node.must('ovs-ofctl', '--no-stats', 'dump-flows', bridge, cookie);
  const route = (destination: string, index: number, from = permitted[index] ?? ''): void => {
    client.must('ip', 'route', 'replace', destination, 'via', hops[index] ?? '', 'src', from);
  };
  const subnets = places.map((address, index) => address.replace(/9$/, index === 0 ? '0/24' : '/64'));
  for (const [index, subnet] of subnets.entries()) route(subnet, index);
  const closed = (when: string): void => {
    for (const [index, address] of places.entries())
      t.equal(attempt(client, address, 8080, permitted[index]), '', `${address} does not answer ${when}`);
  };
  const before = flows();
  closed('before the client is permitted');

  configure(node, {
    ...dualStack,
    outsideClients: permitted.map((own) => `${own}/${own.includes(':') ? 128 : 32}`).join(','),
  });
  t.match(node.agent('overlay', 'plan'), { status: 0, stdout: new RegExp(`${bridge} does not have this flow`) });
  if (bridge === 'br-ex') t.match(node.agent('overlay', 'verify'), { status: 3 });
  t.match(node.agent('overlay', 'apply'), { status: 0, stdout: /^Done/ });
  if (bridge === 'br-ex') t.match(node.agent('overlay', 'verify'), { status: 0 });

  await untilRoutes(lines, node, hops);
  routeAsPrinted(t, client, central, side, subnets);
  for (const [index, address] of places.entries())
    t.equal(
      attempt(client, address, 8080, permitted[index]),
      permitted[index],
      `${address} answers by the printed route`,
    );
  for (const [index, subnet] of subnets.entries()) route(subnet, index);

  for (const [index, address] of places.entries()) {
    const [own = '', other = ''] = [permitted[index], others[index]];
    t.equal(ask(client, 'tcp', address, 8080), own, `${address} sees the client over TCP`);
    t.equal(ask(client, 'udp', address, 8053), own, 'the pod answers over UDP');
    t.equal(attempt(client, address, 8080, other), '', 'no other host reaches the pod');
    t.equal(ask(pod, 'tcp', own, 8080), hops[index], 'connections of the pod leave with the address of the gateway');
  }
  t.equal(ping(client, pod.address), 62, 'the pod answers a ping over two routers');
  const lasting = await talk(client, pod, pod.address);
  for (const line of ['one', 'two']) t.equal(await lasting.say(line), line, 'a connection lasts');

  const there = datagramsAt(pod);
  for (const [index, forged] of [far.address, far.address6].entries()) {
    client.must(
      'ip',
      'address',
      'add',
      `${forged}/${index === 0 ? 32 : 128}`,
      'dev',
      'lo',
      ...(index === 0 ? [] : ['nodad']),
    );
    send(client, forged, places[index] ?? '');
    client.must('ip', 'address', 'delete', `${forged}/${index === 0 ? 32 : 128}`, 'dev', 'lo');
    t.equal(
      ask(client, 'udp', places[index] ?? '', 8053),
      permitted[index],
      'a datagram of the permitted client arrives',
    );
  }
  t.equal(datagramsAt(pod), there + 2, 'no datagram of a host with the address of a pod arrives');

  for (const [index, address] of [far.address, far.address6].entries()) {
    const own = permitted[index] ?? '';
    const destination = `${address}/${index === 0 ? 32 : 128}`;
    route(destination, index);
    t.equal(attempt(client, address, 8080, own), '', 'a pod of another node is not reached by this gateway');
    client.must('ip', 'route', 'delete', destination);
    const itself = nodeItself[index] ?? '';
    const answer = bridge === 'br-ex' ? ask(client, 'tcp', itself, 8080) : attempt(client, itself, 8080, own);
    t.equal(answer, bridge === 'br-ex' ? own : '', 'the node itself is reached as before');
  }
  if (bridge === 'br-ex')
    t.equal(ask(client, 'tcp', node.address, 8080), permitted[0], 'the node is reached at its address on the LAN');

  await t.test('a network policy applies to the client', async (t) => {
    const group = `closed_${node.name}`;
    const rule = (action: string, match: string, priority: number): void => {
      central.must(
        'ovn-nbctl',
        'acl-add',
        group,
        'to-lport',
        `${priority}`,
        `outport == @${group} && ${match}`,
        action,
      );
    };
    central.must('ovn-nbctl', 'pg-add', group, `pod-${node.name}`);
    rule('drop', 'ip', 1000);
    rule('allow', 'arp || nd', 1001);
    central.must('ovn-nbctl', '--wait=hv', 'sync');
    closed('with a policy that blocks the client');
    for (const own of permitted) rule('allow-related', `ip${own.includes(':') ? 6 : 4}.src == ${own}`, 1002);
    central.must('ovn-nbctl', '--wait=hv', 'sync');
    for (const [index, address] of places.entries())
      t.equal(ask(client, 'tcp', address, 8080), permitted[index], 'a policy can allow the client by its address');
    central.must('ovn-nbctl', '--wait=hv', 'pg-del', group);
  });

  const written = flows();
  t.match(node.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ }, 'a second run writes nothing');
  t.equal(flows(), written);
  configure(node, dualStack);
  t.match(node.agent('overlay', 'apply'), { status: 0, stdout: /^Done/ });
  t.equal(flows(), before, 'every flow of the clients is gone');
  await untilRoutes(lines, node, []);
  closed('after the removal of the key');
}
