/**
 * A kubelet, a daemonset controller and a container runtime in one program, limited to daemonsets on the host's
 * network: runs the pod of each daemonset that selects this node, and reports its status. Every container is a process
 * in a separate mount namespace over the node's root file system, because the test node has no images. Imports only
 * Node.js's own modules, because no others are on the test node.
 *
 *     node kubelet.js NODE-NAME ADDRESS[,ADDRESS] FOLDER HOST:PORT      FOLDER has ca.crt and token of the API server
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Pod, startPod } from './daemonset-pod.ts';
import { type Json, openApi } from './kubelet-requests.ts';

const [nodeName = '', address = '', folder = '', server = ''] = process.argv.slice(2);
const api = openApi(folder, server);
const retryMs = 1000;

interface Entry {
  daemonSet: Json;
  pod: Pod | null;
  podName: string;
  work: Promise<void>;
  reports: Promise<void>;
}
const entries = new Map<string, Entry>();

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/**
 * Handles a new version of a daemonset (null: it was deleted). Versions are handled one after the other, because each
 * may first have to end a pod.
 */
function take(key: string, daemonSet: Json | null): void {
  const done = Promise.resolve();
  const entry = entries.get(key) ?? { daemonSet: null, pod: null, podName: '', work: done, reports: done };
  entries.set(key, entry);
  entry.daemonSet = daemonSet;
  entry.work = entry.work.then(() => bring(entry)).catch((error: Error) => retry(key, entry, error));
}

async function retry(key: string, entry: Entry, error: Error): Promise<void> {
  say(`${key}: ${error.message}`);
  await pause(retryMs);
  if (entry.daemonSet !== null) void take(key, entry.daemonSet);
}

async function bring(entry: Entry): Promise<void> {
  const node = await api.must('GET', `/api/v1/nodes/${nodeName}`);
  const { daemonSet } = entry;
  const podName = daemonSet !== null && isWantedOn(node, daemonSet) ? podNameOf(daemonSet) : '';
  if (podName !== entry.podName) {
    say(`${entry.podName || 'no pod'} becomes ${podName || 'no pod'}`);
    await entry.pod?.stop();
    entry.pod = null;
    entry.podName = '';
    if (podName !== '') {
      await publishCa(daemonSet.metadata.namespace);
      const changed = (): void => void tell(entry);
      entry.pod = await startPod({ api, daemonSet, name: podName, node, changed });
      entry.podName = podName;
    }
  }
  await tell(entry);
}

/**
 * Creates this node's object if the object does not exist, as a kubelet does; with MicroShift, every node has the label
 * of the control plane.
 */
async function register(): Promise<void> {
  const labels = {
    'kubernetes.io/os': 'linux',
    'kubernetes.io/hostname': nodeName,
    'node-role.kubernetes.io/control-plane': '',
  };
  await api.call('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: nodeName, labels } });
  const addresses = [
    ...address.split(',').map((one) => ({ type: 'InternalIP', address: one })),
    { type: 'Hostname', address: nodeName },
  ];
  const status = { addresses, conditions: [{ type: 'Ready', status: 'True' }] };
  await api.must('PATCH', `/api/v1/nodes/${nodeName}/status`, { status }, 'application/merge-patch+json');
}

/**
 * Creates the ConfigMap with the CA in a namespace, for the token volumes of pods; in a real cluster the controller
 * manager creates it.
 */
async function publishCa(namespace: string): Promise<void> {
  const data = { 'ca.crt': readFileSync(`${folder}/ca.crt`, 'utf8') };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kube-root-ca.crt' }, data };
  await api.call('POST', `/api/v1/namespaces/${namespace}/configmaps`, object);
}

function isWantedOn(node: Json, daemonSet: Json): boolean {
  const wanted: Record<string, string> = daemonSet.spec.template.spec.nodeSelector ?? {};
  return Object.entries(wanted).every(([key, value]) => node.metadata.labels[key] === value);
}

/** Returns the name of the daemonset's pod, which differs after a change of the template and on another node. */
function podNameOf({ metadata, spec }: Json): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([nodeName, spec.template]))
    .digest('hex')
    .slice(0, 8);
  return `${metadata.name}-${hash}`;
}

/** Sends reports one after the other, so that the latest state is reported last. Does nothing without an API server. */
function tell(entry: Entry): Promise<void> {
  entry.reports = entry.reports.then(() => report(entry)).catch((error: Error) => say(error.message));
  return entry.reports;
}

/** Writes the status of the daemonset over all nodes if it differs from the API's. */
async function report({ daemonSet }: Entry): Promise<void> {
  if (daemonSet === null) return;
  const { namespace, name } = daemonSet.metadata;
  const nodes: Json[] = (await api.must('GET', '/api/v1/nodes')).items;
  const pods: Json[] = (await api.must('GET', `/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${name}`))
    .items;
  const count = nodes.filter((node) => isWantedOn(node, daemonSet)).length;
  const ready = pods.filter(isReady).length;
  const status = {
    desiredNumberScheduled: count,
    currentNumberScheduled: pods.length,
    updatedNumberScheduled: pods.length,
    numberMisscheduled: 0,
    numberReady: ready,
    numberAvailable: ready,
    observedGeneration: daemonSet.metadata.generation,
  };
  const path = `/apis/apps/v1/namespaces/${namespace}/daemonsets/${name}/status`;
  const same = Object.entries(status).every(([key, value]) => (daemonSet.status[key] ?? 0) === value);
  if (same) return;
  const { status: code, body } = await api.call('PATCH', path, { status }, 'application/merge-patch+json');
  if (code === 200) daemonSet.status = body.status;
}

function isReady(pod: Json): boolean {
  return (pod.status.conditions ?? []).some(({ type, status }: Json) => type === 'Ready' && status === 'True');
}

/** Watches all daemonsets until the process ends. If a watch ends or the server is unreachable, it lists them again. */
async function follow(): Promise<never> {
  const path = '/apis/apps/v1/daemonsets';
  const keyOf = ({ metadata }: Json): string => `${metadata.namespace}/${metadata.name}`;
  for (;;) {
    try {
      await register();
      const { items, metadata } = await api.must('GET', path);
      const listed = new Set(items.map(keyOf));
      for (const item of items) take(keyOf(item), item);
      for (const key of entries.keys()) if (!listed.has(key)) take(key, null);
      await api.watch(path, metadata.resourceVersion, (type, object) => {
        if (type === 'ADDED' || type === 'MODIFIED') take(keyOf(object), object);
        if (type === 'DELETED') take(keyOf(object), null);
      });
    } catch (error) {
      say(`${(error as Error).message}; asking again`);
      await pause(retryMs);
    }
  }
}

await follow();
