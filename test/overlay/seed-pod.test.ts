// Pod as in the guides of 2017: its annotation, the steps of the plug-in, a ping from the other node, and its packet on
// both nodes.
import t from 'tap';
import { apiServerFor } from '../cluster/session.ts';
import { startDaemon } from './daemon.ts';
import { type Host, startCentral, startController, startLan } from './hosts.ts';
import { ping } from './ping.ts';
import { cni, createPod, inPod, installShim, makeSandbox, missingForPods } from './pods.ts';
import { nodeKubeconfig, offerApi } from './relay.ts';

const skip = missingForPods() ?? false;

/** Name of the pod in the guide. */
const podName = 'sshd-2';
/** Id of the pod's container in the guide. */
const containerId = 'a2f5796e82e9286d7f56540585b6040b3a743093c46ea34364212cf1afd42a32';
const port = 'a2f5796e82e9286';

t.test('a pod on kube-node1', { skip }, async (t) => {
  const server = await apiServerFor(t);
  if (server === null) return;
  const lan = await startLan(t);
  const hosts = [await lan.host('k0', 11), await lan.host('k1', 12), await lan.host('k2', 13)] as const;
  const [master, node1, node2] = hosts;
  await offerApi(t, server, hosts);
  const names = ['kube-master', 'kube-node1', 'kube-node2'];
  for (const [index, host] of hosts.entries()) {
    host.must('hostname', names[index] ?? '');
    const overlay = `overlay:\n  clusterSubnet: 192.168.0.0/16\n  kubeconfig: ${nodeKubeconfig}\n`;
    host.write('/etc/microshift/ovn.yaml', `ovs:\n  datapathType: netdev\n${overlay}`);
    installShim(host);
    host.must('ln', '-s', 'microshift-net-cni', '/opt/cni/bin/ovn_cni');
  }
  startCentral(master);
  for (const host of hosts) startController(host);
  t.match(master.agent('overlay', 'init'), { status: 0 });
  const issue = (name: string, systemId: string): string =>
    master.agent('overlay', 'pki', 'issue', name, '--system-id', `${systemId}-of-the-test`).stdout;
  // Subnets are assigned in turn; after a spare node, kube-node1 and kube-node2 get the subnets that the guide shows.
  issue('spare', 'spare');
  for (const [name, host] of [
    ['kube-node1', node1],
    ['kube-node2', node2],
  ] as const)
    t.match(host.agentWith(issue(name, host.name), 'overlay', 'join', '-'), { status: 0 });
  await server.call('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  await startDaemon(master);
  const daemon = await startDaemon(node1);
  await startDaemon(node2);

  const pod = await createPod(server, 'kube-node1', podName);
  const sandbox = makeSandbox(node1, containerId, pod);
  const added = await cni(node1, 'ADD', sandbox, { type: 'ovn_cni' }, [], '/opt/cni/bin/ovn_cni');
  t.match(added, { status: 0, result: { ips: [{ address: '192.168.2.3/24', gateway: '192.168.2.1' }] } });

  const annotated = server.kubectl('get', 'pod', podName, '-o', 'jsonpath={.metadata.annotations.ovn}');
  t.equal(
    annotated,
    '{"gateway_ip": "192.168.2.1", "ip_address": "192.168.2.3/24", "mac_address": "0a:58:c0:a8:02:03"}',
    'the annotation has the same fields as in 2017, in the same order',
  );

  // Output of each step in 2017, and with this product.
  const steps: readonly (readonly [string, RegExp])[] = [
    ['plugin invoked with cni_command = ADD', new RegExp(`ADD of eth0 in ${sandbox.netns} for ${containerId}`)],
    ['Annotations for pod sshd-2', /has 192\.168\.2\.3\/24, MAC 0a:58:c0:a8:02:03, gateway 192\.168\.2\.1/],
    ['Creating veth pair for container', new RegExp(`veth pair ${port}`)],
    ['Adding veth inner interface to namespace', new RegExp(`its other end eth0 in ${sandbox.netns}`)],
    ['Configuring and bringing up veth inner interface', /eth0 with 0a:58:c0:a8:02:03, MTU \d+, 192\.168\.2\.3\/24/],
    ['Setting gateway_ip', /gateway 192\.168\.2\.1\n/],
    ['output is', /\{"cniVersion":"1\.1\.0"/],
  ];
  let rest = daemon.said().slice(daemon.said().indexOf('default/sshd-2: ADD'));
  for (const [then, now] of steps) {
    const at = rest.search(now);
    t.ok(at >= 0, `the step is logged in the order of 2017: ${then}`);
    rest = rest.slice(Math.max(0, at));
  }

  t.equal(ping(node2, '192.168.2.3'), 63, 'the other node reaches the pod over a router');
  t.equal(ping(inPod(node1, sandbox), '192.168.3.2'), 63);
  const shown = node1.must('ovs-vsctl', 'show').replaceAll(/\n\s+/g, ' ');
  t.match(shown, /Bridge br-int fail_mode: secure /);
  t.match(shown, new RegExp(`Port "?${port}"?`), 'the port has the first characters of the container id as its name');

  const own = 'ovn-k8s-mp0';
  const source = [
    `in_port=${ofport(node2, own)},ip,dl_src=${macOf(node2, own)}`,
    `dl_dst=0a:58:c0:a8:03:01,nw_src=192.168.3.2,nw_dst=192.168.2.3,nw_ttl=32`,
  ].join(',');
  const leaving = node2.must('ovs-appctl', 'ofproto/trace', 'br-int', source);
  const tunnel = ofport(node2, tunnelTo(node2, node1));
  t.match(leaving, new RegExp(`output:${tunnel}\\n`), 'the packet leaves by the tunnel to kube-node1');
  const last = (form: RegExp): number => Number([...leaving.matchAll(form)].at(-1)?.[1]);
  const id = last(/(?:set_field|load):(0x[0-9a-f]+)(?:\/0x[0-9a-f]+)?->(?:tun_id|NXM_NX_TUN_ID)/g);
  const to = last(/set_field:(0x[0-9a-f]+)(?:\/0x[0-9a-f]+)?->tun_metadata0/g);
  const from = last(/TUN_METADATA0\[16\.\.30\] is now (0x[0-9a-f]+)/g);
  // The router's port is on the node of the subnet, so kube-node1 routes the packet. In 2017 kube-node2 routed it, and
  // the packet had the mark of the switch.
  t.equal(
    id,
    tunnelKey(master, 'Datapath_Binding', 'external_ids:name=ovn_cluster_router'),
    'the packet carries the key of the router',
  );
  t.equal(
    to,
    tunnelKey(master, 'Port_Binding', 'logical_port=cr-rtos-kube-node1'),
    "the packet carries the key of the router's port to the subnet",
  );

  const arriving = node1.must(
    ...['ovs-appctl', 'ofproto/trace', 'br-int'],
    `in_port=${ofport(node1, tunnelTo(node1, node2))},tun_id=${id},tun_metadata0=${from * 0x10000 + to},ip,dl_src=0a:58:c0:a8:02:01,dl_dst=0a:58:c0:a8:02:03,nw_src=192.168.3.2,nw_dst=192.168.2.3,nw_ttl=31`,
  );
  t.match(arriving, new RegExp(`output:${ofport(node1, port)}\\n`), 'the packet arrives at the port of the pod');
});

function ofport(host: Host, name: string): string {
  return host.must('ovs-vsctl', 'get', 'Interface', name, 'ofport').trim();
}

function macOf(host: Host, name: string): string {
  return host.must('cat', `/sys/class/net/${name}/address`).trim();
}

function tunnelTo(host: Host, other: Host): string {
  return host
    .must('ovs-vsctl', '--bare', '--columns=name', 'find', 'Interface', `options:remote_ip=${other.address}`)
    .trim();
}

function tunnelKey(central: Host, table: string, where: string): number {
  return Number(central.must('ovn-sbctl', '--bare', '--columns=tunnel_key', 'find', table, where));
}
