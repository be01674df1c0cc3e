// Rows of a cluster, checked with OVN itself: northd compiles them to flows, and ovn-trace sends packets through the
// flows.
import t, { type Test } from 'tap';
import type { OverlayNode } from '../../agent/model/overlay.ts';
import { missingForOvn } from '../cluster/unpacked-ovn.ts';
import { dedicatedNic, dual, dualNode, gatewayOf, modern, nodeOf, seed } from '../unit/overlay/cluster.ts';
import { type Central, learnRouter, startCentral } from './central.ts';
import { type Release, releasesHere } from './releases.ts';

const lan = { mac: '52:54:00:ff:ff:01', outside: '203.0.113.9', outside6: '2001:db8:ffff::9' };

/** End of a packet's path, and the packet there. */
interface Way {
  /** Ports at which the packet leaves. */
  readonly outputs: readonly string[];
  /** Source addresses that the packet has been given. */
  readonly sources: readonly string[];
}

/** Returns a cluster in which every node is a chassis and the LAN's router is known. */
async function clusterOf(
  t: Test,
  release: Release,
  layout: typeof modern,
  nodes: readonly OverlayNode[],
): Promise<Central> {
  const central = await startCentral(t, true, release);
  const chassis = (node: OverlayNode): readonly string[] => [
    'chassis-add',
    node.systemId,
    'geneve',
    node.encap.addresses[0] ?? '',
  ];
  for (const node of nodes) central.run('ovn-sbctl', ...chassis(node));
  await plan(central, layout, nodes);
  for (const { name, systemId, subnets } of nodes)
    if (subnets.length > 0) central.run('ovn-sbctl', 'lsp-bind', `k8s-${name}`, systemId);
  for (const { name, gateway } of nodes)
    for (const hop of gateway?.nextHops ?? []) learnRouter(central, name, hop, lan.mac);
  central.run('ovn-nbctl', '--wait=sb', 'sync');
  return central;
}

/**
 * Writes the rows of the nodes. The central node gets a name that no node has: in the layout seed, the router has the
 * name of the central node, and ovn-trace would not find a switch with the same name.
 */
async function plan(central: Central, layout: typeof modern, nodes: readonly OverlayNode[]): Promise<void> {
  await central.apply({ layout, nodes, centralNode: 'kube-master' });
  central.run('ovn-nbctl', '--wait=sb', 'sync');
}

/** Traces a packet from a node's management port, and returns its way. */
function send(central: Central, from: OverlayNode, to: string, ...options: readonly string[]): Way {
  const port = `rtos-${from.name}`;
  const six = to.includes(':');
  const subnet = from.subnets.find((entry) => entry.includes(':') === six) ?? '';
  const own = subnet.replace(/0?\/.*/, '2');
  const router = central
    .run('ovn-nbctl', '--bare', 'get', 'Logical_Router_Port', port, 'mac')
    .trim()
    .replaceAll('"', '');
  const address = central.run('ovn-nbctl', '--bare', 'lsp-get-addresses', `k8s-${from.name}`).trim().split(' ')[0];
  const family = six ? `ip6.src == ${own} && ip6.dst == ${to}` : `ip4.src == ${own} && ip4.dst == ${to}`;
  const packet = `inport == "k8s-${from.name}" && eth.src == ${address} && eth.dst == ${router} && ${family} && ip.ttl == 64 && tcp.dst == 80`;
  return wayOf(central.run('ovn-trace', '--minimal', '--ct=new', ...options, from.name, packet));
}

function wayOf(text: string): Way {
  return {
    outputs: [...text.matchAll(/output\("([^"]+)"/g)].map(([, port = '']) => port),
    sources: [...text.matchAll(/ct_snat\w*\(ip[46]\.src=([0-9a-f.:]+)\)/g)].map(([, address = '']) => address),
  };
}

const reason = missingForOvn();
if (reason !== null) t.plan(0, reason);
else for (const release of releasesHere()) t.test(release.name, (t) => onRelease(t, release));

/** Checks with ovn-northd and ovn-trace of one release which hosts reach each other. */
function onRelease(t: Test, release: Release): void {
  for (const [name, layout] of [
    ['modern', modern],
    ['seed', { ...seed, clusterSubnets: ['10.42.0.0/16'] }],
  ] as const) {
    t.test(`${name}: nodes, one of them a gateway`, async (t) => {
      const [n1, n2, n3] = [nodeOf(1, { gateway: gatewayOf(1) }), nodeOf(2), nodeOf(3)];
      const central = await clusterOf(t, release, layout, [n1, n2, n3]);
      t.strictSame(
        send(central, n1, '10.42.2.2'),
        { outputs: ['k8s-n2'], sources: [] },
        "n1 reaches n2's management address",
      );
      t.strictSame(
        send(central, n3, '10.42.1.2'),
        { outputs: ['k8s-n1'], sources: [] },
        "n3 reaches n1's management address with its own address",
      );
      t.strictSame(send(central, n2, '10.42.9.9').outputs, [], 'a packet to a subnet of no node is dropped');
      t.strictSame(send(central, n1, lan.outside), leavesBy(1, '192.0.2.11'), 'packets of n1 leave by its own gateway');
      t.strictSame(
        send(central, n2, lan.outside),
        leavesBy(1, '192.0.2.11'),
        'packets of n2, which has no gateway, leave by n1 with the address of n1',
      );
    });

    t.test(`${name}: several gateways`, async (t) => {
      const second = gatewayOf(2, { subnets: ['10.42.4.0/24'] });
      const [n1, n2, n3, n4] = [
        nodeOf(1, { gateway: gatewayOf(1) }),
        nodeOf(2, { gateway: second }),
        nodeOf(3),
        nodeOf(4),
      ];
      const central = await clusterOf(t, release, layout, [n1, n2, n3, n4]);
      t.strictSame(send(central, n1, lan.outside), leavesBy(1, '192.0.2.11'), 'packets of n1 leave by its own gateway');
      t.strictSame(send(central, n2, lan.outside), leavesBy(2, '192.0.2.12'), 'packets of n2 leave by its own gateway');
      t.strictSame(
        send(central, n4, lan.outside),
        leavesBy(2, '192.0.2.12'),
        'packets of the subnet of n4 leave by the gateway that serves this subnet',
      );
      const ways = ['1', '2'].map((id) => send(central, n3, lan.outside, `--select-id=${id}`).sources[0]);
      t.strictSame(ways.toSorted(), ['192.0.2.11', '192.0.2.12'], 'packets of n3 leave by either gateway');
      const down = { ...n1, gateway: gatewayOf(1, { isUp: false }) };
      await plan(central, layout, [down]);
      t.strictSame(
        send(central, n3, lan.outside),
        leavesBy(2, '192.0.2.12'),
        'packets of n3 leave by the other gateway when one is down',
      );
      t.strictSame(
        send(central, n1, lan.outside),
        leavesBy(2, '192.0.2.12'),
        'packets of n1 leave by the same gateway',
      );
      await plan(central, layout, [n1]);
      t.strictSame(
        send(central, n1, lan.outside),
        leavesBy(1, '192.0.2.11'),
        'packets of n1 leave by its own gateway when it is up again',
      );
      await central.apply({ layout, nodes: [], leaving: ['n2'], centralNode: 'kube-master' });
      central.run('ovn-nbctl', '--wait=sb', 'sync');
      t.strictSame(
        send(central, n4, lan.outside),
        leavesBy(1, '192.0.2.11'),
        'packets of n4 leave by n1 after n2 has left',
      );
    });
  }

  t.test('a dedicated NIC in a VLAN, on a node without pods', async (t) => {
    const gateway = gatewayOf(3, dedicatedNic);
    const [n1, n3] = [nodeOf(1), nodeOf(3, { subnets: [], gateway })];
    const central = await clusterOf(t, release, modern, [n1, n3]);
    t.strictSame(send(central, n1, lan.outside), { outputs: ['br-gweth1_n3'], sources: ['192.0.2.13'] });
    const tag = central.run(
      'ovn-sbctl',
      '--bare',
      '--columns=tag',
      'find',
      'Port_Binding',
      'logical_port=br-gweth1_n3',
    );
    t.equal(tag.trim(), '7', 'the localnet port has the tag of the VLAN');
  });

  t.test('pods of a node whose address is the gateway reach the node itself', async (t) => {
    const hostAddresses = ['192.0.2.11', '10.44.0.0'];
    const n1 = nodeOf(1, { gateway: gatewayOf(1), hostAddresses });
    const central = await clusterOf(t, release, modern, [n1, nodeOf(2)]);
    const [mac, pod] = ['0a:58:0a:2a:01:09', '10.42.1.9'];
    central.run('ovn-nbctl', '--wait=sb', 'lsp-add', 'n1', 'pod', '--', 'lsp-set-addresses', 'pod', `${mac} ${pod}`);
    const packet = (to: string): string =>
      `inport == "pod" && eth.src == ${mac} && eth.dst == 0a:58:0a:2a:01:01 && ip4.src == ${pod} && ip4.dst == ${to} && ip.ttl == 64 && tcp.dst == 6443`;
    for (const address of hostAddresses) {
      const way = wayOf(central.run('ovn-trace', '--minimal', '--ct=new', 'n1', packet(address)));
      t.strictSame(way, { outputs: ['k8s-n1'], sources: [] }, address);
    }
  });

  t.test('both families', async (t) => {
    const addresses = ['192.0.2.11/24', '2001:db8::11/64'];
    const gateway = gatewayOf(1, { addresses, nextHops: ['192.0.2.1', '2001:db8::1'] });
    const [n1, n2] = [dualNode(1, { gateway }), dualNode(2)];
    const central = await clusterOf(t, release, dual, [n1, n2]);
    t.strictSame(
      send(central, n1, 'fd01:0:0:2::2'),
      { outputs: ['k8s-n2'], sources: [] },
      "n1 reaches n2's management address",
    );
    t.strictSame(
      send(central, n2, lan.outside6),
      leavesBy(1, '2001:db8::11'),
      'packets of n2 leave by n1 with the address of n1',
    );
    t.strictSame(send(central, n2, lan.outside), leavesBy(1, '192.0.2.11'));
  });
  t.end();
}

/** Returns the path of a packet that leaves by the bridge of a node, with the node's address as its source. */
function leavesBy(id: number, address: string): Way {
  return { outputs: [`br-ex_n${id}`], sources: [address] };
}
