// API server of this machine, which a node reaches as if it ran on the node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { ApiServer } from '../cluster/api-server.ts';
import { mortal } from '../cluster/mortal.ts';
import { childrenIn } from './children.ts';
import { configure } from './form.ts';
import type { Host } from './hosts.ts';

/** Path of the kubeconfig on the nodes. */
export const nodeKubeconfig = '/etc/microshift/kubeconfig';

const relay = `
  const net = require('node:net');
  const [from, to] = process.argv.slice(1).map((text) => JSON.parse(text));
  net.createServer((one) => {
    const other = net.connect(to);
    one.pipe(other).pipe(one);
    one.on('error', () => other.destroy());
    other.on('error', () => one.destroy());
  }).listen(from, () => console.log('listening'));
`;

/**
 * Makes the server reachable from nodes at its own address, and gives their agents the administrator's kubeconfig. The
 * ovn.yaml of each node names the kubeconfig beside other `keys` of the group overlay. Connections cannot cross network
 * namespaces, so they are forwarded through a socket in the file system. Separate processes forward them, because this
 * process blocks while it waits for a program.
 */
export async function offerApi(
  t: Test,
  server: Pick<ApiServer, 'port' | 'kubeconfig'>,
  hosts: readonly Host[],
  keys: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-'));
  const children = childrenIn(folder, t);
  const [path, address] = [{ path: join(folder, 'api.sock') }, { port: server.port, host: '127.0.0.1' }];
  const start = async (before: readonly string[], from: object, to: object): Promise<void> => {
    const words = [...before, process.execPath, '-e', relay, JSON.stringify(from), JSON.stringify(to)];
    const [first, ...rest] = mortal(['env', '--unset=NODE_OPTIONS', ...words]);
    const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout, 'data');
  };
  await start([], path, address);
  const kubeconfig = JSON.parse(readFileSync(server.kubeconfig('node'), 'utf8'));
  const [{ cluster }] = kubeconfig.clusters;
  cluster['certificate-authority-data'] = readFileSync(cluster['certificate-authority']).toString('base64');
  delete cluster['certificate-authority'];
  for (const host of hosts) {
    await start(['nsenter', `--net=${host.path('').replace(/root$/, 'ns/net')}`], address, path);
    host.write(nodeKubeconfig, JSON.stringify(kubeconfig));
    configure(host, { kubeconfig: nodeKubeconfig, ...keys });
  }
}
