// Objects of an API server as the rest of a cluster leaves them: tests of the daemon have no other part of it.
import type { ApiServer } from '../cluster/api-server.ts';

/** A namespace as it is once the controllers of a real cluster have seen it; none run here. */
export async function prepareNamespace({ call }: ApiServer, name = 'default'): Promise<void> {
  if (name !== 'default') await call('POST', '/api/v1/namespaces', { metadata: { name } });
  await call('POST', `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
}

/** Makes a pod on a node, as the scheduler leaves it. */
export async function makePod(
  { call }: ApiServer,
  node: string,
  name: string,
  annotations: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { status, body } = await call('POST', '/api/v1/namespaces/default/pods', {
    metadata: { name, annotations, labels: { app: 'web' } },
    spec: { nodeName: node, containers: [{ name: 'c', image: 'none' }] },
  });
  if (status !== 201) throw new Error(`pod ${name}: ${status} ${JSON.stringify(body)}`);
}

/** Removes it, as the kubelet does once it has ended. */
export async function removePod({ call }: ApiServer, name: string): Promise<void> {
  await call('DELETE', `/api/v1/namespaces/default/pods/${name}?gracePeriodSeconds=0`);
}
