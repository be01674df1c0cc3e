// API server for nodes in separate network namespaces: each node reaches it on its own loopback interface.
import { readFileSync } from 'node:fs';
import type { Test } from 'tap';
import type { ApiServer } from '../cluster/api-server.ts';
import { configure } from './form.ts';
import type { Host } from './hosts.ts';
import { forwardApi } from './relay.ts';

/** Path of the node's kubeconfig. */
const file = '/etc/kubeconfig';

/** Makes the server reachable from a node, and writes the kubeconfig for its agent. */
export async function giveApi(
  t: Test,
  host: Host,
  server: ApiServer,
  keys: Readonly<Record<string, string>> = {},
): Promise<void> {
  await forwardApi(t, server, [host]);
  const ca = readFileSync(`${server.folder}/ca.crt`).toString('base64');
  const cluster = { server: `https://127.0.0.1:${server.port}`, 'certificate-authority-data': ca };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster }],
    users: [{ name: 'test', user: { token: server.token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  };
  host.write(file, JSON.stringify(config));
  configure(host, { kubeconfig: file, ...keys });
}

/** Creates a namespace with the content that controllers add in a real cluster; the tests have no controllers. */
export async function prepareNamespace({ call }: ApiServer, name = 'default'): Promise<void> {
  if (name !== 'default') await call('POST', '/api/v1/namespaces', { metadata: { name } });
  await call('POST', `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
}

/** Creates a pod on a node, as the scheduler leaves it. */
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

/** Removes a pod, as the kubelet does after its end. */
export async function removePod({ call }: ApiServer, name: string): Promise<void> {
  await call('DELETE', `/api/v1/namespaces/default/pods/${name}?gracePeriodSeconds=0`);
}
