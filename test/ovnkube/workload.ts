// Two pods and a service in the default namespace, between which guest/*.sh open connections.
import type { TestNode } from '../node/node.ts';

/** Name of the Kubernetes node that bootNode boots. */
export const firstNode = 'node';

/** Programs below guest/ that try connections, and the number of connections that each tries. */
const tries = {
  'on one node': { script: 'connections.sh', family: '4', count: 13 },
  'on one node, over IPv6': { script: 'connections.sh', family: '6', count: 12 },
  'between two nodes': { script: 'between-nodes.sh', family: '', count: 26 },
};

const pod = (name: string, nodeName: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name } },
  spec: { nodeName, containers: [{ name: 'c', image: 'none' }], tolerations: [{ operator: 'Exists' }] },
});

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: {
    type: 'NodePort',
    ipFamilyPolicy: 'PreferDualStack',
    selector: { app: 'b' },
    ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }],
  },
};

/** Returns the EndpointSlice of the service for an address, in the place of a cluster's controllers. */
const slice = (address: string, nodeName: string) => {
  const addressType = address.includes(':') ? 'IPv6' : 'IPv4';
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `web-${addressType.toLowerCase()}`, labels: { 'kubernetes.io/service-name': 'web' } },
    addressType,
    ports: [{ name: '', port: 8080, protocol: 'TCP' }],
    endpoints: [{ addresses: [address], nodeName, conditions: { ready: true } }],
  };
};

/** Creates the pods and the service; pod b can be on another node. The pods have no network yet. */
export async function createWorkload(node: TestNode, nodeOfB = firstNode): Promise<void> {
  await kubectl(node, 'create serviceaccount default');
  const items = [pod('a', firstNode), pod('b', nodeOfB), service];
  await kubectl(node, 'apply -f -', { apiVersion: 'v1', kind: 'List', items });
}

/**
 * Connects both pods to the network, as a container runtime does at their start; `onNodeOfB` runs a command on the node
 * of pod b.
 */
export async function plugPods(node: TestNode, nodeOfB = firstNode, onNodeOfB = ''): Promise<void> {
  await node.text('/testnode/ovnkube/plug.sh a');
  const addresses = (await node.text(`${onNodeOfB} /testnode/ovnkube/plug.sh b`)).split('\n');
  const items = addresses.map((address) => slice(address, nodeOfB));
  await kubectl(node, 'apply -f -', { apiVersion: 'v1', kind: 'List', items });
}

/** Returns the connections that still fail at the end of the time limit. */
export async function brokenConnections(
  node: TestNode,
  limitSeconds: number,
  which: keyof typeof tries = 'on one node',
): Promise<string[]> {
  const { script, family, count } = tries[which];
  const tried = await node.text(`/testnode/ovnkube/${script} ${limitSeconds} ${family}`, { timeoutMs: 300_000 });
  const lines = tried.split('\n');
  if (lines.length !== count) throw new Error(`${count} connections, not ${lines.length}: ${tried}`);
  return lines.filter((line) => !line.endsWith(' ok'));
}

/** Runs kubectl on the node as the administrator. */
export function kubectl(node: TestNode, words: string, input?: object, timeoutMs = 120_000): Promise<string> {
  const command = `kubectl --kubeconfig /testnode/kube/admin.kubeconfig ${words}`;
  return node.text(command, { timeoutMs, ...(input === undefined ? {} : { stdin: JSON.stringify(input) }) });
}
