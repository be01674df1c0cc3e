// Source ranges of a load balancer, in packets: permitted and other clients by a shared gateway, by a gateway with a
// NIC of its own, and by another NIC of a node.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { hasProgram } from '../cluster/binaries.ts';
import { dual, dualNode, gatewayOf } from '../unit/overlay/cluster.ts';
import { type ApiObject, serviceObject, sliceObject } from '../unit/workload/services/facts.ts';
import { startDaemon } from './daemon.ts';
import { flowAppears } from './flow-appears.ts';
import { configure, dualStack, form } from './form.ts';
import { type Host, missingForHosts, program, startLan } from './hosts.ts';
import { ask, attemptFrom, silenceMs } from './one-request.ts';
import { oneOvn, ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { publish } from './publish-services.ts';
import { offerApi } from './relay.ts';
import { serveApi } from './served-api.ts';
import { type Pod, serve, startPod } from './services.ts';

const skip = missingForHosts() ?? (hasProgram('nft', '--version') ? false : 'nft is missing');

/** Addresses of load balancers: of a service with pods, and of a service that n2 itself serves. */
const [web, web6, own] = ['198.18.0.9', '2001:db8:99::9', '198.18.0.10'];

type Place = Pick<Host, 'must' | 'start'>;

/** Runs a server that returns each line, at port 4000 of every address. */
async function echo(on: Place): Promise<void> {
  const script = `require('net').createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(4000, '::', () => console.log('ready'))`;
  const { stdout } = on.start(process.execPath, '-e', script);
  await new Promise((resolve) => stdout?.once('data', resolve));
}

/** Opens a connection; the returned function sends a line and resolves with the answer, or null after a silence. */
async function converse(from: Place, local: string, address: string, port: number) {
  const script = `
    const socket = require('net').connect({ port: ${port}, host: '${address}', localAddress: '${local}' });
    socket.on('connect', () => { console.log('open'); process.stdin.pipe(socket); socket.pipe(process.stdout); });
    socket.on('error', () => {});`;
  const child = from.start(process.execPath, '-e', script);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  await lines.next();
  return async (line: string): Promise<string | null> => {
    child.stdin?.write(`${line}\n`);
    const late = new Promise<null>((resolve) => setTimeout(resolve, silenceMs, null));
    const heard = await Promise.race([lines.next(), late]);
    return heard === null ? null : String(heard.value);
  };
}

for (const which of skip === false ? ovnsHere() : [])
  t.test(`source ranges, OVN: ${which}`, (t) => restricted(t, which));
if (skip !== false) t.plan(0, skip);
else t.test('source ranges, written by the daemon', kept);

async function restricted(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12, ['eth1'])];
  const [n3, client] = [await lan.host('n3', 13, ['eth1']), await lan.host('client', 50, ['eth1'])];
  for (const host of [n1, n2, n3, client]) {
    // These settings keep the kernel from answering ARP and neighbour discovery on the NIC. With the kernel's data
    // path, the kernel does not answer on a NIC that is a port.
    host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8', 'net.ipv6.conf.eth0.disable_ipv6=1');
    host.must('ip', 'address', 'add', `2001:db8::${host.address.split('.')[3]}/64`, 'dev', 'br-ex', 'nodad');
    configure(host, dualStack);
  }
  for (const [host, device, ...addresses] of [
    [client, 'br-ex', '192.0.2.51/24', '2001:db8::51/64'],
    [client, 'eth1', '203.0.113.50/24', '203.0.113.51/24', '2001:db8:1::50/64', '2001:db8:1::51/64'],
    [n2, 'eth1', '203.0.113.12/24', '2001:db8:1::12/64'],
  ] as const)
    for (const address of addresses)
      host.must('ip', 'address', 'add', address, 'dev', device, ...(address.includes(':') ? ['nodad'] : []));
  for (const host of [client, n2]) host.must('ethtool', '-K', 'eth1', 'tx', 'off');
  n2.must(
    ...['sysctl', '-qw', 'net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1'],
    ...['all', 'default', 'br-ex', 'eth1'].map((one) => `net.ipv4.conf.${one}.rp_filter=2`),
  );
  form(t, [n1, n2, n3], {
    n2: ['--gateway', '2001:db8::12'],
    n3: ['--gateway', '203.0.113.13,2001:db8:1::13'],
  });
  t.match(n2.agent('overlay', 'gateway', '--next-hop', '192.0.2.254,2001:db8::fe'), { status: 0 });
  const dedicated = ['--address', '203.0.113.13/24,2001:db8:1::13/64', '--next-hop', '203.0.113.254,2001:db8:1::fe'];
  t.match(n3.agent('overlay', 'gateway', '--interface', 'eth1', ...dedicated), { status: 0 });
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  const far = await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64');
  const near = await startPod(n1, n2, '10.42.1.0/24', 'fd01:0:0:1::/64');
  await serve(n2);
  await echo(far);

  const nodes = [
    dualNode(1, { subnets: ['10.42.0.0/24', 'fd01::/64'] }),
    dualNode(2, {
      subnets: ['10.42.1.0/24', 'fd01:0:0:1::/64'],
      gateway: gatewayOf(2, { addresses: ['192.0.2.12/24', '2001:db8::12/64'] }),
    }),
    dualNode(3, {
      subnets: ['10.42.2.0/24', 'fd01:0:0:2::/64'],
      gateway: gatewayOf(3, { kind: 'dedicated', addresses: ['203.0.113.13/24', '2001:db8:1::13/64'] }),
    }),
  ];
  const objects = (ranges: readonly string[]): readonly ApiObject[] => {
    const spec = (clusterIPs: readonly string[], ports: readonly object[]) =>
      ({ type: 'LoadBalancer', clusterIPs, ports, loadBalancerSourceRanges: ranges }) as const;
    const ingress = (...addresses: readonly string[]) => ({
      loadBalancer: { ingress: addresses.map((ip) => ({ ip })) },
    });
    const ports = [
      { name: 'http', port: 80, nodePort: 30_080 },
      { name: 'echo', port: 81 },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ];
    const targets = [
      { name: 'http', port: 8080 },
      { name: 'echo', port: 4000 },
      { name: 'dns', port: 8053, protocol: 'UDP' },
    ];
    const slice = (addressType: string, address: string) =>
      sliceObject('web', [[address, 'n1']], { name: `web-${addressType}`, addressType, ports: targets });
    return [
      serviceObject('web', spec(['10.43.0.80', 'fd02::80'], ports), ingress(web, web6, '192.0.2.12', '2001:db8::12')),
      serviceObject('own', spec(['10.43.0.81'], [{ port: 80 }]), ingress(own)),
      slice('IPv4', far.address),
      slice('IPv6', far.address6),
      sliceObject('own', [['192.0.2.12', 'n2']]),
    ];
  };
  const write = async (ranges: readonly string[]): Promise<void> => {
    t.not(await publish(n1, objects(ranges), nodes, dual), 0);
    for (const host of [n2, n3]) t.match(host.agent('overlay', 'apply'), { status: 0 });
  };
  const permitted = ['192.0.2.50/32', '203.0.113.50/32', '2001:db8::50/128', '2001:db8:1::50/128'];
  await write([...permitted, '10.42.0.0/24', 'fd01::/64']);

  /** Next hops of the client for the addresses of load balancers, by path. */
  const paths = {
    'a shared gateway': ['192.0.2.12', '2001:db8::12', 'br-ex', '192.0.2.', '2001:db8::'],
    'a gateway with a NIC of its own': ['203.0.113.13', '2001:db8:1::13', 'eth1', '203.0.113.', '2001:db8:1::'],
    'another NIC of a node': ['203.0.113.12', '2001:db8:1::12', 'eth1', '203.0.113.', '2001:db8:1::'],
  } as const;
  const go = ([four, six, device]: readonly string[]): void => {
    for (const address of [web, own])
      client.must('ip', 'route', 'replace', address, 'via', four ?? '', 'dev', device ?? '');
    client.must('ip', 'route', 'replace', web6, 'via', six ?? '', 'dev', device ?? '');
  };
  for (const [path, words] of Object.entries(paths))
    await t.test(path, async (t) => {
      go(words);
      for (const [address, prefix] of [
        [web, words[3]],
        [web6, words[4]],
      ] as const)
        for (const [protocol, port] of [
          ['tcp', 80],
          ['udp', 53],
        ] as const) {
          t.not(
            attemptFrom(client, `${prefix}50`, protocol, address, port),
            '',
            `${protocol} ${address} permits the client`,
          );
          t.equal(
            attemptFrom(client, `${prefix}51`, protocol, address, port),
            '',
            `${protocol} ${address} permits no other`,
          );
        }
      if (path === 'a gateway with a NIC of its own') return;
      t.equal(
        attemptFrom(client, `${words[3]}50`, 'tcp', own, 80),
        `${words[3]}50`,
        'the node itself serves the client',
      );
      t.equal(attemptFrom(client, `${words[3]}51`, 'tcp', own, 80), '', 'the node itself serves no other client');
    });

  await t.test('an address of the node', async (t) => {
    for (const [address, prefix] of [
      ['192.0.2.12', '192.0.2.'],
      ['2001:db8::12', '2001:db8::'],
    ] as const) {
      t.not(attemptFrom(client, `${prefix}50`, 'tcp', address, 80), '');
      t.equal(attemptFrom(client, `${prefix}51`, 'tcp', address, 80), '');
      t.not(attemptFrom(client, `${prefix}51`, 'tcp', address, 30_080), '', 'the NodePort is open to every client');
      t.match(
        attemptFrom(client, `${prefix}51`, 'tcp', address, 8080),
        `${prefix}51`,
        'the node itself is reached as before',
      );
    }
  });

  await t.test('pods and nodes as clients', async (t) => {
    const each = (pod: Pod, six: boolean): readonly [string, string] =>
      six ? [pod.address6, web6] : [pod.address, web];
    for (const six of [false, true]) {
      const [permittedPod, address] = each(far, six);
      t.not(attemptFrom(far, permittedPod, 'tcp', address, 80), '', 'a pod in a range is permitted');
      t.equal(attemptFrom(near, each(near, six)[0], 'tcp', address, 80), '', 'another pod is not');
    }
    t.equal(ask(near, 'tcp', '10.43.0.80', 80), near.address, 'the cluster IP is open to every pod');
    t.equal(ask(near, 'tcp', '192.0.2.12', 30_080), near.address, 'the NodePort is open to every pod');
    t.equal(attemptFrom(n2, '192.0.2.12', 'tcp', web, 80), '', 'a node outside of the ranges is not permitted');
    t.equal(attemptFrom(n2, '192.0.2.12', 'tcp', '192.0.2.12', 80), '', 'nor at its own address');
    t.not(attemptFrom(far, far.address, 'tcp', own, 80), '', 'a pod in a range reaches a server on a node');
    n1.must('ovn-nbctl', 'pg-add', 'closed', 'pod-n1');
    n1.must(
      'ovn-nbctl',
      '--apply-after-lb',
      'acl-add',
      'closed',
      'from-lport',
      '1000',
      'inport == @closed && ip',
      'drop',
    );
    n1.must('ovn-nbctl', '--wait=hv', 'sync');
    t.equal(attemptFrom(far, far.address, 'tcp', own, 80), '', "a policy of a pod's egress holds for permitted pods");
    n1.must('ovn-nbctl', '--wait=hv', 'pg-del', 'closed');
  });

  const isOnce = which === oneOvn();
  if (isOnce) await t.test('a trace explains the drop', (t) => explained(t, n1));

  await t.test('side effects', async (t) => {
    for (const gateway of ['n2', 'n3'])
      t.notMatch(
        n1.must('ovn-sbctl', 'lflow-list', `ext_${gateway}`),
        /reg0\[[02]\] = 1/,
        'outside switches track no connection',
      );
    if (!isOnce) return;
    t.equal(
      await publish(n1, objects([...permitted, '10.42.0.0/24', 'fd01::/64']), nodes, dual),
      0,
      'a second plan is empty',
    );
    for (const host of [n2, n3]) t.match(host.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
    const set = ['nft', 'delete', 'element', 'inet', 'microshift_net_overlay', 'restricted4', `{ tcp . ${web} . 80 }`];
    n2.must(...set);
    t.match(n2.agent('overlay', 'verify'), { status: 3, stdout: /\+ table inet microshift_net_overlay/ });
    t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Done, 1 change:/ });
  });

  await t.test('a change of the ranges', async (t) => {
    go(paths['a shared gateway']);
    const byGateway = await converse(client, '192.0.2.50', web, 81);
    go(paths['another NIC of a node']);
    const byNic = await converse(client, '203.0.113.50', web, 81);
    const ofPod = await converse(far, far.address, web, 81);
    t.equal(await byNic('before'), 'before');
    t.equal(await ofPod('before'), 'before');
    go(paths['a shared gateway']);
    t.equal(await byGateway('before'), 'before');
    await write(['192.0.2.51/32', '192.0.2.12/32', '2001:db8::/64']);
    t.equal(await byGateway('after'), null, 'the connection of a client by the gateway ends');
    go(paths['another NIC of a node']);
    t.equal(await byNic('after'), null, 'the connection of a client by another NIC ends');
    t.equal(await ofPod('after'), 'after', 'the connection of a pod continues, as with kube-proxy');
    t.equal(attemptFrom(far, far.address, 'tcp', web, 80), '', 'the pod gets no new connection');
    go(paths['a shared gateway']);
    t.equal(attemptFrom(client, '192.0.2.50', 'tcp', web, 80), '');
    t.not(attemptFrom(client, '192.0.2.51', 'tcp', web, 80), '', 'the client that is permitted now');
    t.not(attemptFrom(n2, '192.0.2.12', 'tcp', web, 80), '', 'a node in the ranges is permitted');
    t.not(attemptFrom(n2, '192.0.2.12', 'tcp', '192.0.2.12', 80), '', 'also at its own address');
  });

  await t.test('without services', async (t) => {
    t.not(await publish(n1, [], nodes, dual), 0);
    for (const table of ['Port_Group', 'Load_Balancer'])
      t.equal(n1.must('ovn-nbctl', '--bare', '--columns=name', 'list', table).trim(), '', `no row of ${table} is left`);
    t.notMatch(n1.must('ovn-nbctl', '--bare', '--columns=match', 'list', 'ACL'), /198\.18\.0|2001:db8:99/);
    t.match(n2.agent('overlay', 'apply'), { status: 0 });
    t.notMatch(n2.must('nft', 'list', 'ruleset'), /restricted|permitted/);
  });
}

/** Tests that a trace names the service whose ranges drop a packet. */
function explained(t: Test, n1: Host): void {
  const trace = (from: string, ...words: readonly string[]) =>
    n1.agent('overlay', 'trace', from, web, '--tcp', '80', ...words);
  for (const gateway of ['n2', 'n3'])
    t.match(trace('192.0.2.51', '--from-node', gateway), {
      status: 3,
      stdout:
        /Dropped by Service default\/web \(ACL \w+, drop, priority 1004: ip4\.dst == 198\.18\.0\.9 && tcp\.dst == \{80, 81\}/,
    });
  t.match(trace('192.0.2.50', '--from-node', 'n2'), { status: 0, stdout: /Delivered to pod-n1/ });
  t.match(trace('pod-n2'), { status: 3, stdout: /Dropped by Service default\/web/ });
  t.end();
}

/** Resolves when the process has ended successfully. The API server of this process continues meanwhile. */
async function succeeds(on: Pick<Host, 'start'>, ...words: readonly string[]): Promise<void> {
  const [code] = await once(on.start(...words), 'exit');
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`);
}

/** Waits until a table of OVN_Northbound has a row with this name, or none, and every node has its flows. */
async function untilRow(central: Host, table: string, name: string, isThere: boolean): Promise<void> {
  const find = `ovn-nbctl --bare --columns=name find ${table} name=${name}`;
  const script = `until [ ${isThere ? '-n' : '-z'} "$(${find})" ]; do sleep 0.2; done; ovn-nbctl --wait=hv sync`;
  await succeeds(central, 'timeout', '100', 'sh', '-c', script);
}

/** A service that the daemon of the central node serves, and a gateway that is added while it is served. */
async function kept(t: Test): Promise<void> {
  const api = await serveApi(t);
  const lan = await startLan(t, oneOvn());
  const [n1, n2, client] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('client', 50)];
  for (const host of [n1, n2, client]) host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8');
  client.must('ip', 'address', 'add', '192.0.2.51/24', 'dev', 'br-ex');
  await offerApi(t, { port: api.port, kubeconfig: () => api.kubeconfig }, [n1, n2], dualStack);
  form(t, [n1, n2], {});
  t.match(n1.agent('overlay', 'gateway', '--next-hop', '192.0.2.254'), { status: 0 });
  const pod = await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64');
  for (const host of [n1, n2]) await startDaemon(host);
  const [name, group] = ['web', 'Service_default/web_clients'];
  const put = (special: object): void => {
    api.put('services', {
      metadata: { namespace: 'default', name, uid: 'uid-of-web' },
      spec: { type: 'LoadBalancer', clusterIPs: ['10.43.0.80', 'fd02::80'], ports: [{ port: 80 }], ...special },
      status: { loadBalancer: { ingress: [{ ip: web }, { ip: web6 }] } },
    });
  };
  put({ loadBalancerSourceRanges: ['192.0.2.50/32'] });
  api.put('endpointslices', {
    metadata: { namespace: 'default', name, uid: 'uid-of-slice', labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ port: 8080 }],
    endpoints: [{ addresses: [pod.address], nodeName: 'n1', conditions: { ready: true } }],
  });
  t.match(await api.event('NotServed'), /2001:db8:99::9 is served to no client, .* has no range of that family/);
  const by = async (gateway: Host): Promise<void> => {
    await flowAppears(gateway, 'br-ex', /tcp,.*nw_dst=198\.18\.0\.9/);
    await untilRow(n1, 'Port_Group', group, true);
    client.must('ip', 'route', 'replace', web, 'via', gateway.address);
    t.not(attemptFrom(client, '192.0.2.50', 'tcp', web, 80), '', `${gateway.name} serves the permitted client`);
    t.equal(attemptFrom(client, '192.0.2.51', 'tcp', web, 80), '', `${gateway.name} serves no other client`);
  };
  await by(n1);
  await succeeds(n2, process.execPath, program, 'overlay', 'gateway', '--next-hop', '192.0.2.254');
  await untilRow(n1, 'Load_Balancer', 'Service_default/web_TCP_node_router_n2', true);
  await by(n2);
  put({});
  await untilRow(n1, 'Port_Group', group, false);
  t.not(attemptFrom(client, '192.0.2.51', 'tcp', web, 80), '', 'without ranges every client is permitted');
  api.remove('services', 'default/web');
  await untilRow(n1, 'Load_Balancer', 'Service_default/web_TCP_cluster', false);
  t.equal(n1.must('ovn-nbctl', '--bare', '--columns=match', 'find', 'ACL', 'priority=1004'), '');
}
