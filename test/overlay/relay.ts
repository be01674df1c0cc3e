// An API server of this machine, reached from a node as if it ran there.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { ApiServer } from '../cluster/api-server.ts';
import { childrenIn } from './children.ts';
import type { Host } from './hosts.ts';

/** Where the nodes find their kubeconfig. */
export const nodeKubeconfig = '/etc/microshift/kubeconfig';

const toSocket = `
  const net = require('node:net');
  net.createServer((one) => {
    const other = net.connect(process.argv[1]);
    one.pipe(other).pipe(one);
    one.on('error', () => other.destroy());
    other.on('error', () => one.destroy());
  }).listen(Number(process.argv[2]), '127.0.0.1', () => console.log('listening'));
`;

/** Lets nodes reach the server at its own address, and gives them the administrator's kubeconfig. `pidOf` is a process in the node's network. */
export async function offerApi(t: Test, server: ApiServer, hosts: readonly Host[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-'));
  const socket = join(folder, 'api.sock');
  const children = childrenIn(folder, t);
  const relay = createServer((one) => {
    const other = connect(server.port, '127.0.0.1');
    one.pipe(other).pipe(one);
    one.on('error', () => other.destroy());
    other.on('error', () => one.destroy());
  });
  await once(relay.listen(socket), 'listening');
  t.teardown(() => relay.close());
  const kubeconfig = JSON.parse(readFileSync(server.kubeconfig('node'), 'utf8'));
  const [{ cluster }] = kubeconfig.clusters;
  cluster['certificate-authority-data'] = readFileSync(cluster['certificate-authority']).toString('base64');
  delete cluster['certificate-authority'];
  for (const host of hosts) {
    const namespace = `--net=${host.path('').replace(/root$/, 'ns/net')}`;
    const child = spawn('nsenter', [namespace, process.execPath, '-e', toSocket, socket, String(server.port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    children.push(child);
    await once(child.stdout, 'data');
    host.write(nodeKubeconfig, JSON.stringify(kubeconfig));
  }
}
