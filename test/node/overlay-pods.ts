// Pods of two booted nodes: the daemons are units of systemd, the plug-in has the path of the package, and this file
// replaces the container runtime.
import type { Test } from 'tap';
import { kube, kubeconfigFor, kubeconfigPath } from '../cluster/api-in-node.ts';
import { sandboxId } from '../overlay/cni-cluster.ts';
import { network } from '../overlay/pods.ts';
import type { TestNode } from './node.ts';
import { reach } from './overlay-cluster.ts';
import { onSecond, second } from './second-node.ts';

const shim = '/run/cni/bin/microshift-net-cni';
const conflist = '/etc/cni/net.d/10-microshift-net.conflist';
const kubectl = `kubectl --kubeconfig ${kube}/admin.kubeconfig`;
/** Shell text that prints the ports of br-int and the interfaces, from which a removed pod must be absent. */
const links = 'ovs-vsctl list-ports br-int; ls /sys/class/net';

/** One of the two nodes; `on` precedes a command for it. */
interface Place {
  readonly name: string;
  readonly on: string;
}

const places: readonly [Place, Place] = [
  { name: 'node', on: '' },
  { name: second.name, on: `${onSecond} ` },
];

interface Sandbox extends Place {
  readonly id: string;
  readonly uid: string;
  readonly netns: string;
}

/**
 * Creates a pod on each node and removes it again; the first node has kube.service (apiOfNode). Afterwards the cluster
 * is in its previous state.
 */
export async function havePods(t: Test, node: TestNode): Promise<void> {
  const linksNow = (): Promise<string[]> => Promise.all(places.map(({ on }) => node.text(`${on}sh -c '${links}'`)));
  const before = await linksNow();
  await node.text(`systemctl start kube; until ${kubectl} get --raw /readyz; do sleep 1; done`);
  await node.text(`${kubectl} create serviceaccount default`);
  await node.write('/root/kubeconfig', kubeconfigFor('192.0.2.50'));
  for (const { on } of places) {
    await node.text(`${on}install -D -m 600 /dev/stdin ${kubeconfigPath} < /root/kubeconfig`);
    await node.text(`${on}systemctl restart microshift-net-overlay`);
  }
  const [here, there] = [await makeSandbox(node, places[0]), await makeSandbox(node, places[1])];
  const [ofHere, ofThere] = await Promise.all([add(t, node, here), add(t, node, there)]);
  for (const { on, name } of places) {
    t.match(
      await node.text(`${on}cat ${conflist}`),
      /"name": "ovn-kubernetes"/,
      `a container runtime on ${name} finds the network`,
    );
    t.match(await cni(node, 'STATUS', name === here.name ? here : there), { exitCode: 0 });
    const journal = await node.text(`${on}journalctl -o cat -u microshift-net-overlay`);
    t.match(journal, new RegExp(`^default/pod-${name}: ADD of eth0 `, 'm'), 'the journal has the ADD of the pod');
  }
  const inHere = `ip netns exec ${here.id.slice(0, 20)} `;
  t.match(await node.text(`${inHere}${reach(ofThere)}`), /ttl=63/, 'a pod reaches that of the other node');
  t.match(await node.text(`${there.on}${reach(ofHere)}`), /ttl=63/, 'the other node reaches the pod');
  t.match(await node.text(reach(ofThere)), /ttl=63/);

  await node.text(`${there.on}systemctl stop microshift-net-overlay`);
  t.match(
    await node.text(`${inHere}${reach(ofThere)}`),
    /ttl=63/,
    'the pod reaches the other pod while its daemon is stopped',
  );
  t.match(await cni(node, 'GC', here, { 'cni.dev/valid-attachments': [] }), { exitCode: 0 });
  t.strictSame(
    (await linksNow())[0],
    before[0],
    'the daemon, in its sandbox, removes a pod that the runtime does not list',
  );
  for (const sandbox of [here, there]) {
    t.match(await cni(node, 'DEL', sandbox), { exitCode: 0, stdout: '' }, `DEL on ${sandbox.name}`);
    await node.text(`${sandbox.on}ip netns delete ${sandbox.id.slice(0, 20)}`);
  }
  await node.text(`${there.on}systemctl start microshift-net-overlay`);
  t.strictSame(await linksNow(), before, 'neither pod leaves a link');

  await node.text(`${kubectl} delete pod --all --force --grace-period=0`);
  await node.text("until ! ovn-nbctl show | grep -q 'port default_'; do sleep 0.2; done");
  t.match(await node.run('microshift-net overlay verify'), { exitCode: 0, stdout: /^No drift/ });
  for (const { on } of places) {
    await node.text(`${on}rm ${kubeconfigPath}`);
    await node.text(`${on}systemctl restart microshift-net-overlay`);
  }
  // On SIGTERM, kube-apiserver waits for its clients up to a minute and a half.
  await node.text('systemctl kill --signal=KILL kube; systemctl stop kube');
}

/** Creates a pod in the API, and a network namespace for it on its node. */
async function makeSandbox(node: TestNode, place: Place): Promise<Sandbox> {
  const name = `pod-${place.name}`;
  const containers = [{ name: 'one', image: 'registry.example/one:1' }];
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { nodeName: place.name, automountServiceAccountToken: false, containers },
  };
  await node.text(`echo '${JSON.stringify(pod)}' | ${kubectl} create -f -`);
  const uid = await node.text(`${kubectl} get pod ${name} -o jsonpath={.metadata.uid}`);
  const id = sandboxId();
  await node.text(`${place.on}ip netns add ${id.slice(0, 20)}`);
  return { ...place, id, uid, netns: `/run/netns/${id.slice(0, 20)}` };
}

function cni(
  node: TestNode,
  command: string,
  { on, name, id, uid, netns }: Sandbox,
  config: object = {},
): ReturnType<TestNode['run']> {
  const pod = `K8S_POD_NAMESPACE=default;K8S_POD_NAME=pod-${name};K8S_POD_INFRA_CONTAINER_ID=${id};K8S_POD_UID=${uid}`;
  const words = `CNI_COMMAND=${command} CNI_CONTAINERID=${id} CNI_NETNS=${netns} CNI_IFNAME=eth0 CNI_PATH=/run/cni/bin`;
  return node.run(
    `echo '${JSON.stringify({ ...network, ...config })}' | ${on}env ${words} 'CNI_ARGS=IgnoreUnknown=1;${pod}' ${shim}`,
  );
}

/** Connects a pod to the network, and returns the address that the pod gets. */
async function add(t: Test, node: TestNode, sandbox: Sandbox): Promise<string> {
  const { exitCode, stdout, stderr } = await cni(node, 'ADD', sandbox);
  t.equal(exitCode, 0, `ADD on ${sandbox.name}${exitCode === 0 ? '' : `: ${stdout}${stderr}`}`);
  return String(JSON.parse(stdout).ips[0].address).replace(/\/.*/, '');
}
