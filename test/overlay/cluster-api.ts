// API server for nodes in separate network namespaces: each node reaches it on its own loopback interface.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Test } from 'tap';
import type { ApiServer } from '../cluster/api-server.ts';
import { configure } from './form.ts';
import type { Host } from './hosts.ts';

const socket = '/run/kube-api.sock';
/** Path of the node's kubeconfig. */
const file = '/etc/kubeconfig';

/**
 * Program that forwards connections. Connections cannot cross network namespaces, so a node's loopback forwards them
 * through a socket in its file system. Both ends are separate processes, because this process waits for programs.
 */
const relay = `
  const net = require('node:net');
  const [from, to] = process.argv.slice(1).map((end) => /^[0-9]+$/.test(end) ? { port: Number(end), host: '127.0.0.1' } : { path: end });
  net.createServer((inner) => {
    const outer = net.connect(to);
    for (const [one, other] of [[inner, outer], [outer, inner]]) one.on('error', () => other.destroy()).on('close', () => other.destroy());
    inner.pipe(outer).pipe(inner);
  }).listen(from, () => console.log('listening'));
`;

/** Makes the server reachable from a node, and writes the kubeconfig for its agent. */
export async function giveApi(
  t: Test,
  host: Host,
  server: ApiServer,
  keys: Readonly<Record<string, string>> = {},
): Promise<void> {
  const outside = spawn(process.execPath, ['-e', relay, host.path(socket), String(server.port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH },
  });
  t.teardown(() => void outside.kill('SIGKILL'));
  await once(outside.stdout, 'data');
  const inside = host.start(process.execPath, '-e', relay, String(server.port), socket);
  await once(inside.stdout as NodeJS.ReadableStream, 'data');
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
