// A network policy applies to packets from every direction, and no packet of a pod counts as a tunnel packet.
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { configure, dualStack, form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { ask, attempt } from './one-request.ts';
import { ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { balance, datagramsAt, serve, startPod } from './services.ts';

const reason = missingForHosts();
if (reason !== null) t.plan(0, reason);
else for (const which of ovnsHere()) t.test(`packets from outside, OVN: ${which}`, (t) => isolated(t, which));

/** Sends a datagram to each of these ports, in their order, from one of the sender's addresses. */
function send(from: Pick<Host, 'must'>, own: string, address: string, ports: readonly number[]): void {
  const script = `
    const socket = require('dgram').createSocket('${own.includes(':') ? 'udp6' : 'udp4'}');
    const next = (ports) => ports.length === 0 ? socket.close() : socket.send('?', ports[0], '${address}', () => next(ports.slice(1)));
    socket.bind(0, '${own}', () => next(${JSON.stringify(ports)}));`;
  from.must(process.execPath, '-e', script);
}

/**
 * Listens for datagrams at these ports; `heard` resolves with the ports of all datagrams when one arrives at the last
 * port.
 */
async function listen(on: Pick<Host, 'start'>, ports: readonly number[]): Promise<{ heard(): Promise<string> }> {
  const script = `
    const heard = [];
    let open = ${ports.length};
    for (const port of ${JSON.stringify(ports)}) {
      const socket = require('dgram').createSocket('udp4');
      socket.on('message', () => { heard.push(port); if (port === ${ports.at(-1)}) console.log(heard.join(' ')); });
      socket.bind(port, () => { open -= 1; if (open === 0) console.log('ready'); });
    }`;
  const { stdout } = on.start(process.execPath, '-e', script);
  const line = (): Promise<string> =>
    new Promise((resolve) => {
      stdout?.once('data', (text) => resolve(String(text).trim()));
    });
  await line();
  return { heard: line };
}

/**
 * Sends datagrams until a listener has heard one at their last port, because a busy host loses datagrams. Returns the
 * ports at which it has heard datagrams.
 */
async function heardAt(listener: { heard(): Promise<string> }, sendAll: () => void): Promise<ReadonlySet<string>> {
  const heard = listener.heard();
  for (;;) {
    sendAll();
    const ports = await Promise.race([heard, pause(1000, null)]);
    if (ports !== null) return new Set(ports.split(/\s+/));
  }
}

async function isolated(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12, ['eth1'])];
  const client = await lan.host('client', 50, ['eth1']);
  const six = '2001:db8::12';
  for (const host of [n1, n2]) configure(host, dualStack);
  n2.must('ip', 'address', 'add', `${six}/64`, 'dev', 'br-ex', 'nodad');
  client.must('ip', 'address', 'add', '2001:db8::50/64', 'dev', 'br-ex', 'nodad');
  form(t, [n1, n2], { n2: ['--gateway', `203.0.113.12,2001:db8:1::12,${six}`] });
  t.match(n2.agent('overlay', 'gateway', '--next-hop', '192.0.2.254,2001:db8::fe'), { status: 0 });
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  const far = await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64');
  const near = await startPod(n1, n2, '10.42.1.0/24', 'fd01:0:0:1::/64');
  for (const host of [n2, client]) await serve(host);
  for (const [host, address] of [
    [n2, '203.0.113.12'],
    [client, '203.0.113.50'],
  ] as const) {
    host.must('ip', 'address', 'add', `${address}/24`, 'dev', 'eth1');
    host.must('ip', 'address', 'add', `2001:db8:1::${address.split('.')[3]}/64`, 'dev', 'eth1', 'nodad');
    host.must('ethtool', '-K', 'eth1', 'tx', 'off');
  }
  // Kernel settings as on a node with Kubernetes. The check of source addresses (rp_filter) is as strict as that of
  // distributions.
  n2.must(
    'sysctl',
    '-qw',
    'net.ipv4.ip_forward=1',
    'net.ipv6.conf.all.forwarding=1',
    ...['all', 'default', 'br-ex', 'eth1'].map((one) => `net.ipv4.conf.${one}.rp_filter=2`),
  );
  balance(n1, 'web', 'tcp', {
    '10.43.0.80:80': `${near.address}:8080`,
    [`${n2.address}:30080`]: `${near.address}:8080`,
    '[fd02::80]:80': `[${near.address6}]:8080`,
    [`[${six}]:30080`]: `[${near.address6}]:8080`,
  });
  t.match(n2.agent('overlay', 'apply'), { status: 0 });

  await t.test('packets that a policy allows, and packets that it drops', async (t) => {
    const group = 'closed';
    n1.must('ovn-nbctl', 'pg-add', group, 'pod-n2');
    const rule = (action: string, match: string, priority: number): void => {
      n1.must(
        'ovn-nbctl',
        'acl-add',
        group,
        'to-lport',
        String(priority),
        `outport == @${group} && (${match})`,
        action,
      );
    };
    client.must('ip', 'route', 'add', '192.0.2.12/32', 'via', '203.0.113.12');
    client.must('ip', 'route', 'add', `${six}/128`, 'via', '2001:db8:1::12');
    t.equal(
      ask(client, 'tcp', n2.address, 30080),
      n2.address,
      'a request by another NIC arrives with the LAN address of the node',
    );
    t.equal(ask(client, 'tcp', six, 30080), six, 'so does a request over IPv6');
    t.equal(ask(n2, 'tcp', n2.address, 30080), '10.42.1.2', 'the node itself uses its interface in the cluster');
    t.equal(ask(n2, 'tcp', six, 30080), 'fd01:0:0:1::2', 'over IPv6 as well');
    rule('drop', 'ip', 1000);
    rule('allow', '(arp || nd)', 1001);
    rule('allow-related', `ip4.src == ${far.address} || ip6.src == ${far.address6}`, 1001);
    n1.must('ovn-nbctl', '--wait=hv', 'sync');
    t.equal(ask(n2, 'tcp', n2.address, 30080), '10.42.1.2', 'the node itself passes every policy');
    t.equal(ask(far, 'tcp', near.address, 8080), far.address, 'the allowed pod reaches the server');
    t.equal(ask(n2, 'tcp', six, 30080), 'fd01:0:0:1::2', 'over IPv6 as well');
    t.equal(attempt(client, n2.address, 30080), '', 'a policy is also enforced at another NIC');
    t.equal(attempt(client, six, 30080), '', 'over IPv6 as well');
    client.must('ip', 'route', 'delete', `${six}/128`);
    client.must('ip', 'route', 'delete', '192.0.2.12/32');
    t.equal(attempt(client, n2.address, 30080), '', 'the policy also holds for packets through the gateway');
    t.equal(attempt(client, six, 30080), '', 'over IPv6 as well');

    // The policy allows the pod `far`, and every policy allows the interface of the node in the cluster.
    const before = datagramsAt(near);
    const before6 = datagramsAt(near, 'Udp6');
    for (const [source, prefix, to, toSubnet, ways] of [
      ...[far.address, '10.42.1.2'].map(
        (source) => [source, 32, near.address, '10.42.1.0/24', ['203.0.113.12', '192.0.2.12']] as const,
      ),
      ...[far.address6, 'fd01:0:0:1::2'].map(
        (source) => [source, 128, near.address6, 'fd01:0:0:1::/64', ['2001:db8:1::12', six]] as const,
      ),
    ]) {
      client.must('ip', 'address', 'add', `${source}/${prefix}`, 'dev', 'lo', ...(prefix === 128 ? ['nodad'] : []));
      for (const [index, device] of ['eth1', 'br-ex'].entries()) {
        client.must('ip', 'route', 'replace', toSubnet, 'via', ways[index] ?? '', 'dev', device);
        send(client, source, to, [8053, 8053, 8053]);
      }
      client.must('ip', ...(prefix === 128 ? ['-6'] : []), 'route', 'delete', toSubnet);
      client.must('ip', 'address', 'delete', `${source}/${prefix}`, 'dev', 'lo');
    }
    t.equal(ask(far, 'udp', near.address, 8053), far.address, 'a datagram of the permitted pod arrives');
    t.equal(ask(far, 'udp', near.address6, 8053), far.address6, 'over IPv6 as well');
    t.equal(datagramsAt(near), before + 1, 'no datagram of another host with an address of the cluster arrives');
    t.equal(datagramsAt(near, 'Udp6'), before6 + 1, 'nor does one over IPv6');
    n1.must('ovn-nbctl', 'pg-del', group);
  });

  const ports = [6081, 4789, 6082];
  const [onClient, onNode] = [await listen(client, ports), await listen(n2, ports)];
  await t.test('no tunnel begins in a pod', async (t) => {
    for (const [host, listener, what] of [
      [client, onClient, 'a host of the LAN'],
      [n2, onNode, "the pod's own node"],
    ] as const) {
      const heard = await heardAt(listener, () => send(near, near.address, host.address, ports));
      t.strictSame([...heard], ['6082'], `${what} gets no tunnel packet of the pod`);
    }
    t.equal(ask(near, 'tcp', far.address, 8080), near.address, 'the tunnels of the nodes work');
  });

  await t.test('no tunnel begins in a pod that leaves by a gateway with a NIC of its own', async (t) => {
    const addresses = ['203.0.113.12/24', '2001:db8:1::12/64'];
    const hops = '203.0.113.50,2001:db8:1::50';
    const own = ['--interface', 'eth1', '--address', addresses.join(','), '--next-hop', hops];
    for (const address of addresses) n2.must('ip', 'address', 'delete', address, 'dev', 'eth1');
    t.match(n2.agent('overlay', 'gateway', ...own), { status: 0 });
    t.match(n1.agent('overlay', 'apply'), { status: 0 });
    t.equal(ask(near, 'tcp', '203.0.113.50', 8080), '203.0.113.12', 'packets of the pod leave by the gateway');
    const heard = await heardAt(onClient, () => send(near, near.address, '203.0.113.50', ports));
    t.strictSame([...heard], ['6082'], 'the client gets no tunnel packet of the pod');
    n1.must('ovn-nbctl', 'lsp-del', 'pod-n2');
  });
}
