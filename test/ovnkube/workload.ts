// Two pods and a service in the default namespace: what the connections of guest/connections.sh are between.
import type { TestNode } from '../node/node.ts';

const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name } },
  spec: { nodeName: 'node', containers: [{ name: 'c', image: 'none' }], tolerations: [{ operator: 'Exists' }] },
});

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { type: 'NodePort', selector: { app: 'b' }, ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }] },
};

/** What the controllers of a cluster make of the service; none run here. */
const slice = (address: string) => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: '', port: 8080, protocol: 'TCP' }],
  endpoints: [{ addresses: [address], nodeName: 'node', conditions: { ready: true } }],
});

/** Creates them; the pods have no network yet. */
export async function createWorkload(node: TestNode): Promise<void> {
  await kubectl(node, 'create serviceaccount default');
  const items = [pod('a'), pod('b'), service];
  await kubectl(node, 'apply -f -', { apiVersion: 'v1', kind: 'List', items });
}

/** Connects both pods, as a container runtime does when it starts them. */
export async function plugPods(node: TestNode): Promise<void> {
  await node.text('/testnode/ovnkube/plug.sh a');
  const address = await node.text('/testnode/ovnkube/plug.sh b');
  await kubectl(node, 'apply -f -', slice(address));
}

/** The connections that do not work, nor begin to within the time. */
export async function brokenConnections(node: TestNode, limitSeconds: number): Promise<string[]> {
  const tried = await node.text(`/testnode/ovnkube/connections.sh ${limitSeconds}`, { timeoutMs: 150_000 });
  const lines = tried.split('\n');
  if (lines.length !== 12) throw new Error(`12 connections, not ${lines.length}: ${tried}`);
  return lines.filter((line) => !line.endsWith(' ok'));
}

/** kubectl in the node, as the administrator. */
export function kubectl(node: TestNode, words: string, input?: object): Promise<string> {
  const command = `kubectl --kubeconfig /testnode/kube/admin.kubeconfig ${words}`;
  return node.text(command, input === undefined ? {} : { stdin: JSON.stringify(input) });
}
