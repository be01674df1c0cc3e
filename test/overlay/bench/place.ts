// Environment of the measurement: a central node in a namespace with OVN, and a real kube-apiserver that it reaches,
// all on one CPU.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMirror, openSession } from '../../../agent/drivers/ovsdb/index.ts';
import { type ApiServer, startApiServer } from '../../cluster/api-server.ts';
import type { Scope } from '../children.ts';
import { type Host, startCentral, startController, startLan } from '../hosts.ts';
import { newerRoot } from '../releases.ts';
import { type Api, type ApiAddress, openApi } from './api.ts';

/** Machine on the LAN that runs the API server. */
const apiHost = '192.0.2.1';
const limitMs = 60_000;
/** Number of clients that create pods at the same time, as in a busy cluster. */
const clients = 8;

/**
 * Names of the nodes. The first is the central node and the only one that runs; the others are only rows and objects.
 */
export const nodeNames = ['n1', 'n2', 'n3', 'n4', 'n5'] as const;
export const namespace = 'bench';
/** Namespace whose objects are the last of every list. */
export const probeNamespace = 'zzz-probe';

/**
 * Flag that turns off the cache of the API server. An etcd before 3.4.25 does not report its progress, and the cache
 * then refuses a watch without a version ("Too large resource version") until an object of the same kind changes. Not
 * every contestant begins with a list.
 */
const withoutCache = ['--watch-cache=false'];

export interface Place {
  readonly host: Host;
  readonly server: ApiServer;
  readonly address: ApiAddress;
  readonly api: Api;
  /** Path of the file of OVN_Northbound. */
  readonly database: string;
  /** Mirror of the rows of Logical_Switch_Port and Load_Balancer. */
  readonly northbound: Awaited<ReturnType<typeof openMirror>>;
}

/**
 * Starts the central node and the API server, and creates the namespaces and nodes. `mounts` are folders of this
 * machine and their paths on the node, as FOLDER=PATH.
 */
export async function makePlace(scope: Scope, mounts: readonly string[]): Promise<Place> {
  const lan = await startLan(scope);
  const host = await lan.host(nodeNames[0], 11, [], mounts);
  lan.attend(apiHost);
  startCentral(host, newestOvn(host));
  startController(host);
  const server = await startApiServer(apiHost, withoutCache);
  scope.teardown(() => server.stop());
  await server.untilReady();
  const address = {
    host: apiHost,
    port: server.port,
    ca: readFileSync(join(server.folder, 'ca.crt')),
    token: server.token,
  };
  const api = openApi(address, clients);
  scope.teardown(() => api.close());
  for (const name of [namespace, probeNamespace]) await addNamespace(api, name);
  for (const name of nodeNames) await addNode(api, name);
  host.write('/opt/ca.crt', readFileSync(join(server.folder, 'ca.crt'), 'utf8'));

  const session = openSession({
    remotes: `unix:${host.path('/run/ovn/ovnnb_db.sock')}`,
    database: 'OVN_Northbound',
    limitMs,
  });
  scope.teardown(() => session.close());
  const tables = { Logical_Switch_Port: { columns: ['name'] }, Load_Balancer: { columns: ['vips'] } };
  const northbound = await openMirror(session, tables, limitMs);
  return { host, server, address, api, northbound, database: host.path('/var/lib/ovn/ovnnb_db.db') };
}

/**
 * Returns the root of the newest release of OVN on this machine, which the node sees at the same path; an empty text if
 * the machine's own release is the newest.
 */
function newestOvn(host: Host): string {
  const root = newerRoot();
  if (root === null) return '';
  for (const place of ['/run', '/var/log']) host.must('mount', '--rbind', place, `${root}${place}`);
  return root;
}

/** Creates a namespace, and in it the service account that a pod needs, because no controller is running. */
async function addNamespace(api: Api, name: string): Promise<void> {
  await api.send('POST', '/api/v1/namespaces', { metadata: { name } });
  await api.send('POST', `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
}

async function addNode(api: Api, name: string): Promise<void> {
  await api.send('POST', '/api/v1/nodes', { metadata: { name, labels: { 'kubernetes.io/hostname': name } } });
  const addresses = [{ type: 'InternalIP', address: addressOf(name) }];
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' }];
  const path = `/api/v1/nodes/${name}/status`;
  await api.send('PATCH', path, { status: { addresses, conditions } }, 'application/merge-patch+json');
}

/** Returns a node's address on the LAN. */
export function addressOf(node: string): string {
  return `192.0.2.${10 + Number(node.slice(1))}`;
}
