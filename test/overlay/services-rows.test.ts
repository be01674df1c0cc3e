// Rows of services, checked with OVN itself: northd compiles them to flows, and ovn-trace sends packets through the
// flows.
import t, { type Test } from 'tap';
import type { OverlayLayout, OverlayNode } from '../../agent/model/overlay.ts';
import { operationsOf } from '../../agent/overlay/rows/row-operations.ts';
import { missingForOvn } from '../cluster/unpacked-ovn.ts';
import { dual, dualNode, gatewayOf, modern, seed } from '../unit/overlay/cluster.ts';
import { type ApiObject, factsFor, planAll, serviceObject, sliceObject } from '../unit/workload/services/facts.ts';
import { type Central, learnRouter, startCentral } from './central.ts';
import { type Release, releasesHere } from './releases.ts';
import { startTracer, type Tracer } from './tracer.ts';

const lan = { mac: '52:54:00:ff:ff:01', four: '203.0.113.9', six: '2001:db8:ffff::9' };

/**
 * Cluster in which every node is a chassis and has a pod at address 9 of its subnets; n1 and n2 are gateways, and n3 is
 * not.
 */
interface Cluster {
  readonly central: Central;
  readonly nodes: readonly OverlayNode[];
  /** Writes the rows of exactly these services and slices; returns the changes of rows. */
  serve(objects: readonly ApiObject[]): Promise<readonly string[]>;
  /** Traces a first packet of the pod of a node, or of the node itself. */
  send(from: string, to: string, port: number, protocol?: string): Promise<Way>;
  /** Traces the answer of a pod from one of its ports. */
  answer(from: string, port: number, to: string): Promise<Way>;
  /** Traces a first packet of a host on the LAN to a gateway. */
  arrive(at: string, to: string, port: number): Promise<Way>;
  /** Returns true if a gateway answers an ARP request of the LAN for an address. */
  ask(at: string, address: string): Promise<boolean>;
}

interface Way {
  /** Last port at which the packet, or the answer to it, leaves. */
  readonly end: string;
  /** True if the packet is rejected. */
  readonly isRejected: boolean;
  /** Output of ovn-trace. */
  readonly text: string;
}

async function clusterOf(t: Test, release: Release, layout: OverlayLayout): Promise<Cluster> {
  const central = await startCentral(t, true, release);
  const gatewayFor = (id: number) =>
    gatewayOf(id, {
      addresses: [`192.0.2.${10 + id}/24`, `2001:db8::${10 + id}/64`],
      nextHops: ['192.0.2.1', '2001:db8::1'],
    });
  const nodes = [dualNode(1, { gateway: gatewayFor(1) }), dualNode(2, { gateway: gatewayFor(2) }), dualNode(3)].map(
    (node) => (layout === dual ? node : { ...node, subnets: node.subnets.slice(0, 1) }),
  );
  for (const { systemId, encap } of nodes)
    central.run('ovn-sbctl', 'chassis-add', systemId, 'geneve', encap.addresses[0] ?? '');
  await central.apply({ layout, nodes, centralNode: 'kube-master' });
  for (const { name, id, systemId, subnets } of nodes) {
    const addresses = [macOfPod(id), ...subnets.map(podIn)].join(' ');
    central.run('ovn-nbctl', 'lsp-add', name, `pod-${name}`, '--', 'lsp-set-addresses', `pod-${name}`, addresses);
    central.run('ovn-nbctl', '--wait=sb', 'sync');
    for (const port of [`pod-${name}`, `k8s-${name}`]) central.run('ovn-sbctl', 'lsp-bind', port, systemId);
  }
  for (const { name, gateway } of nodes)
    for (const hop of gateway?.nextHops ?? []) learnRouter(central, name, hop, lan.mac);
  const fromLan = (at: string): string => `inport == "br-ex_${at}" && eth.src == ${lan.mac}`;
  const macOf = (at: string): string => nodes.find(({ name }) => name === at)?.gateway?.mac ?? '';
  let tracer: Tracer | null = null;
  const endTracer = async (): Promise<void> => {
    await tracer?.end();
    tracer = null;
  };
  t.teardown(endTracer);
  const trace = async (where: string, packet: string): Promise<Way> => {
    tracer ??= await startTracer(central);
    return wayOf(await tracer.trace(where, packet, '--detailed'));
  };
  const endOf = (port: string, router: string): readonly [mac: string, router: string, ...addresses: string[]] => {
    const [mac = '', ...addresses] = central.run('ovn-nbctl', '--bare', 'lsp-get-addresses', port).trim().split(' ');
    const routerMac = central.run('ovn-nbctl', '--bare', 'get', 'Logical_Router_Port', router, 'mac').trim();
    return [mac, routerMac.replaceAll('"', ''), ...addresses];
  };
  const ends = new Map<string, ReturnType<typeof endOf>>();
  const sent = (from: string, to: string, ports: Ports): Promise<Way> => {
    const node = nodes.find(({ name }) => from.endsWith(name)) as OverlayNode;
    const known = ends.get(from) ?? endOf(from, `rtos-${node.name}`);
    ends.set(from, known);
    const [mac, router, ...own] = known;
    const source = own.find((one) => one.includes(':') === to.includes(':'));
    const link = `inport == "${from}" && eth.src == ${mac} && eth.dst == ${router}`;
    return trace(node.name, `${link} && ${packetOf(source ?? '', to, ports)}`);
  };
  return {
    central,
    nodes,
    serve: async (objects) => {
      await endTracer();
      const rows = await central.read();
      const plan = planAll(factsFor(objects, nodes, layout), rows);
      const operations = operationsOf(plan, rows.shape);
      if (operations.length > 0) await central.client.transact('OVN_Northbound', operations);
      central.run('ovn-nbctl', '--wait=sb', 'sync');
      return plan.changes.map((change) => `${change.do} ${change.title}`);
    },
    send: (from, to, port, protocol = 'tcp') => sent(from, to, { from: 40000, to: port, protocol }),
    answer: (from, port, to) => sent(from, to, { from: port, to: 40000, protocol: 'tcp' }),
    arrive: (at, to, port) =>
      trace(
        `ext_${at}`,
        `${fromLan(at)} && eth.dst == ${macOf(at)} && ${packetOf(to.includes(':') ? lan.six : lan.four, to, { from: 40000, to: port, protocol: 'tcp' })}`,
      ),
    ask: async (at, address) => {
      const question = `eth.dst == ff:ff:ff:ff:ff:ff && arp.op == 1 && arp.sha == ${lan.mac} && arp.spa == ${lan.four} && arp.tpa == ${address}`;
      return /arp\.op = 2/.test((await trace(`ext_${at}`, `${fromLan(at)} && ${question}`)).text);
    },
  };
}

interface Ports {
  readonly from: number;
  readonly to: number;
  readonly protocol: string;
}

function packetOf(from: string, to: string, ports: Ports): string {
  const family = to.includes(':') ? 'ip6' : 'ip4';
  const { protocol } = ports;
  return `${family}.src == ${from} && ${family}.dst == ${to} && ip.ttl == 64 && ${protocol}.src == ${ports.from} && ${protocol}.dst == ${ports.to}`;
}

function macOfPod(id: number): string {
  return `0a:58:0a:2a:0${id}:09`;
}

function podIn(subnet: string): string {
  return subnet.replace(/0?\/.*/, '9');
}

function wayOf(text: string): Way {
  const outputs = [...text.matchAll(/\/\* output to "([^"]+)"/g)].map(([, port = '']) => port);
  return { end: outputs.at(-1) ?? '', isRejected: /^\s*(tcp_reset|icmp[46]_error|sctp_abort)/m.test(text), text };
}

const reason = missingForOvn();
if (reason !== null) t.plan(0, reason);
else for (const release of releasesHere()) t.test(release.name, (t) => onRelease(t, release));

/** Checks the rows with ovn-northd and ovn-trace of one release. */
function onRelease(t: Test, release: Release): void {
  for (const [naming, layout] of [
    ['modern', modern],
    ['seed', { ...seed, clusterSubnets: ['10.42.0.0/16'] }],
  ] as const) {
    t.test(`${naming}: a service with a pod on one node`, async (t) => {
      const { serve, send, arrive } = await clusterOf(t, release, layout);
      await serve([nodePort('web'), sliceObject('web', [['10.42.2.9', 'n2']])]);
      for (const from of ['pod-n1', 'pod-n2', 'pod-n3', 'k8s-n1', 'k8s-n2', 'k8s-n3'])
        t.equal((await send(from, '10.43.0.80', 80)).end, 'pod-n2', `${from} reaches the cluster IP`);
      for (const from of ['pod-n1', 'pod-n3'])
        t.equal((await send(from, '192.0.2.12', 30080)).end, 'pod-n2', `${from} reaches the NodePort`);
      t.equal(
        (await send('pod-n1', '192.0.2.13', 30080)).end,
        'pod-n2',
        'a pod reaches the NodePort of a node without a gateway',
      );
      t.equal(
        (await arrive('n1', '192.0.2.11', 30080)).end,
        'pod-n2',
        'the LAN reaches the NodePort at a node without the endpoint',
      );
      t.equal(
        (await arrive('n2', '192.0.2.12', 30080)).end,
        'pod-n2',
        'the node of the endpoint forwards packets from the LAN',
      );
    });

    t.test(`${naming}: a service without a server`, async (t) => {
      const { serve, send, arrive } = await clusterOf(t, release, layout);
      await serve([nodePort('web')]);
      for (const way of [await send('pod-n1', '10.43.0.80', 80), await send('pod-n3', '192.0.2.12', 30080)])
        t.match(way, { isRejected: true, end: /^pod-n[13]$/ }, 'the connection is rejected');
      for (const [from, to, port] of [
        ['pod-n1', '10.43.0.81', 80],
        ['pod-n1', '10.43.0.80', 81],
        ['pod-n3', '10.43.0.81', 80],
        ['k8s-n3', '10.43.0.81', 80],
      ] as const)
        for (const protocol of ['tcp', 'udp', 'sctp'])
          t.match(
            await send(from, to, port, protocol),
            { end: from },
            `${to} ${protocol} ${port}, without a server, from ${from}`,
          );
      t.match(
        await arrive('n1', '192.0.2.11', 30080),
        { isRejected: true, end: 'br-ex_n1' },
        'a connection from the LAN is rejected',
      );
    });

    t.test(`${naming}: an external policy of Local`, async (t) => {
      const { central, serve, send, answer, arrive, ask } = await clusterOf(t, release, layout);
      learnRouter(central, 'n1', '192.0.2.12', lan.mac);
      const local = { externalTrafficPolicy: 'Local', externalIPs: ['192.0.2.200'] };
      const slice = sliceObject('web', [
        ['10.42.1.9', 'n1'],
        ['10.42.3.9', 'n3'],
      ]);
      await serve([nodePort('web', local), slice]);
      for (const [to, port] of [
        ['192.0.2.11', 30080],
        ['192.0.2.200', 80],
      ] as const)
        for (let times = 0; times < 5; times += 1) {
          const way = await arrive('n1', to, port);
          t.equal(way.end, 'pod-n1', `${to}: only the pod on the node of the gateway answers`);
          t.match(way.text, /skip_snat_for_lb = 1/, 'the pod sees the address of the client');
        }
      t.match(
        await arrive('n2', '192.0.2.12', 30080),
        { isRejected: true },
        'a gateway on a node without a pod refuses',
      );
      t.ok(await ask('n1', '192.0.2.200'), 'the gateway on the node of a pod answers for the external address');
      t.notOk(await ask('n2', '192.0.2.200'), 'a gateway without an endpoint does not answer');
      t.match(
        (await send('pod-n2', '192.0.2.12', 30080)).end,
        /^pod-n[13]$/,
        'a packet from inside of the cluster is not refused',
      );
      t.equal(
        (await answer('pod-n1', 8080, '192.0.2.12')).end,
        'br-ex_n1',
        'an answer to another node leaves by the gateway',
      );
      if (naming === 'modern') {
        t.equal(
          (await answer('pod-n1', 8080, '192.0.2.11')).end,
          'k8s-n1',
          "an answer to the pod's own node goes to that node",
        );
        t.equal(
          (await send('pod-n1', '192.0.2.12', 22)).end,
          'k8s-n2',
          'a connection that the pod opens reaches the other node itself',
        );
      }
      await serve([nodePort('web'), slice]);
      t.match(
        (await arrive('n2', '192.0.2.12', 30080)).end,
        /^pod-n[13]$/,
        'a gateway without a pod refuses no longer after the policy was removed',
      );
    });

    t.test(`${naming}: an internal policy of Local`, async (t) => {
      const { serve, send } = await clusterOf(t, release, layout);
      const service = serviceObject('web', { internalTrafficPolicy: 'Local' });
      await serve([service, sliceObject('web', [['10.42.1.9', 'n1']])]);
      t.match(await send('pod-n1', '10.43.0.80', 80), { isRejected: false, end: 'pod-n1' });
      t.match(await send('k8s-n1', '10.43.0.80', 80), { isRejected: false, end: 'pod-n1' });
      t.match(await send('pod-n2', '10.43.0.80', 80), { isRejected: true, end: 'pod-n2' });
    });

    t.test(`${naming}: many services with an internal policy of Local`, async (t) => {
      const { serve, send } = await clusterOf(t, release, layout);
      const addresses = Array.from({ length: 12 }, (_, index) => `10.43.0.${80 + index}`);
      const objects = addresses.flatMap((address, index) => [
        serviceObject(`web-${index}`, { internalTrafficPolicy: 'Local', clusterIPs: [address] }),
        sliceObject(`web-${index}`, [['10.42.1.9', 'n1']]),
      ]);
      await serve(objects);
      for (const address of addresses) {
        t.match(
          await send('k8s-n1', address, 80),
          { isRejected: false, end: 'pod-n1' },
          `${address}, from the node of an endpoint`,
        );
        for (const from of ['pod-n2', 'pod-n3'])
          t.match(await send(from, address, 80), { isRejected: true, end: from }, `${address}, from ${from}`);
      }
      t.strictSame(await serve(objects), [], 'a second plan changes nothing');
    });
  }

  t.test('TCP, UDP and SCTP, and a client that stays with its endpoint', async (t) => {
    const { serve, send } = await clusterOf(t, release, modern);
    const ports = ['TCP', 'UDP', 'SCTP'].map((protocol) => ({ name: protocol.toLowerCase(), protocol, port: 53 }));
    const slice = sliceObject('dns', [['10.42.2.9', 'n2']], { ports: ports.map((port) => ({ ...port, port: 1053 })) });
    await serve([serviceObject('dns', { ports }), slice]);
    for (const { name } of ports) t.equal((await send('pod-n1', '10.43.0.80', 53, name)).end, 'pod-n2', name);
    const affinity = { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } } };
    await serve([serviceObject('dns', { ports, ...affinity }), slice]);
    for (const { name } of ports)
      t.equal((await send('pod-n1', '10.43.0.80', 53, name)).end, 'pod-n2', `${name}, with affinity`);
  });

  t.test('both families, with affinity', async (t) => {
    const { serve, send, arrive } = await clusterOf(t, release, dual);
    await serve([
      nodePort('web', { clusterIPs: ['10.43.0.80', 'fd02::80'], sessionAffinity: 'ClientIP' }),
      sliceObject('web', [['10.42.2.9', 'n2']]),
      sliceObject('web', [['fd01:0:0:3::9', 'n3']], { name: 'six', addressType: 'IPv6' }),
    ]);
    t.equal((await send('pod-n1', '10.43.0.80', 80)).end, 'pod-n2');
    t.equal((await send('pod-n1', 'fd02::80', 80)).end, 'pod-n3');
    t.equal((await arrive('n1', '192.0.2.11', 30080)).end, 'pod-n2');
    t.equal((await arrive('n1', '2001:db8::11', 30080)).end, 'pod-n3');
  });

  t.test('the API server, which has the address of a node', async (t) => {
    const { serve, send } = await clusterOf(t, release, modern);
    const ports = [{ name: 'https', port: 443, protocol: 'TCP' }];
    await serve([
      serviceObject('kubernetes', { clusterIPs: ['10.43.0.1'], ports }),
      sliceObject('kubernetes', [['192.0.2.11', 'n1']], { ports: [{ ...ports[0], port: 6443 }] }),
    ]);
    for (const from of ['pod-n1', 'pod-n2', 'pod-n3', 'k8s-n2', 'k8s-n3'])
      t.equal((await send(from, '10.43.0.1', 443)).end, 'k8s-n1', `${from} reaches the API server`);
  });

  t.test('the node that announces an outside address', async (t) => {
    const { serve, ask, arrive } = await clusterOf(t, release, modern);
    const [outside, given] = ['192.0.2.200', '192.0.2.201'];
    const ingress = { loadBalancer: { ingress: [{ ip: given }] } };
    const other = { type: 'LoadBalancer', clusterIPs: ['10.43.0.81'] };
    await serve([
      serviceObject('web', { externalIPs: [outside] }),
      sliceObject('web', [['10.42.2.9', 'n2']]),
      serviceObject('balanced', other, ingress),
      sliceObject('balanced', [['10.42.3.9', 'n3']]),
    ]);
    t.equal((await arrive('n1', outside, 80)).end, 'pod-n2');
    t.equal((await arrive('n1', given, 80)).end, 'pod-n3');
    t.ok(await ask('n1', outside), 'the gateway answers for an external address');
    t.notOk(await ask('n1', given), 'the gateway does not answer for an address of status.loadBalancer');
  });

  t.test('a service is changed while it is used', async (t) => {
    const { serve, send, arrive } = await clusterOf(t, release, modern);
    const slice = sliceObject('web', [['10.42.2.9', 'n2']]);
    await serve([nodePort('web'), slice]);
    const row = 'update Service_default/web_TCP_cluster';
    const edited = nodePort('web', { ports: [{ port: 8000, protocol: 'TCP', nodePort: 30099 }] });
    t.strictSame(await serve([edited, slice]), [row], 'one row is updated for the changed port');
    t.equal((await send('pod-n1', '10.43.0.80', 8000)).end, 'pod-n2');
    t.equal((await arrive('n1', '192.0.2.11', 30099)).end, 'pod-n2');
    t.not((await send('pod-n1', '10.43.0.80', 80)).end, 'pod-n2', 'the old port is no longer served');
    t.not((await arrive('n1', '192.0.2.11', 30080)).end, 'pod-n2');
    t.strictSame(
      await serve([edited, sliceObject('web', [['10.42.3.9', 'n3']])]),
      [row],
      'the endpoints follow the slice',
    );
    t.equal((await send('pod-n1', '10.43.0.80', 8000)).end, 'pod-n3');
    t.strictSame(await serve([edited, sliceObject('web', [['10.42.3.9', 'n3']])]), [], 'a second plan changes nothing');
    t.strictSame(await serve([]), ['delete Service_default/web_TCP_cluster']);
    t.not((await send('pod-n1', '10.43.0.80', 8000)).end, 'pod-n3');
  });
  t.end();
}

function nodePort(name: string, spec: object = {}): ApiObject {
  return serviceObject(name, { type: 'NodePort', ports: [{ port: 80, protocol: 'TCP', nodePort: 30080 }], ...spec });
}
