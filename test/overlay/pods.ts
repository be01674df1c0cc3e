// Pods by hand: objects of the API as the scheduler leaves them, and sandboxes as a container runtime makes them.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ApiServer } from '../cluster/api-server.ts';
import { hasProgram } from '../cluster/binaries.ts';
import { type Host, missingForHosts } from './hosts.ts';

/** Returns the reason why pods can get no network here; null if they can. The plug-in needs ethtool. */
export function missingForPods(): string | null {
  return missingForHosts() ?? (hasProgram('ethtool', '--version') ? null : 'ethtool is missing');
}

export const shim = '/opt/cni/bin/microshift-net-cni';

/** Network configuration in the daemon's own file, which runtimes read. */
export const network = { cniVersion: '1.1.0', name: 'ovn-kubernetes', type: 'microshift-net-cni' };

export interface TestPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Data of a runtime about a sandbox. */
export interface Sandbox {
  readonly id: string;
  readonly netns: string;
  readonly args: string;
}

/** Installs the plug-in as the package does. */
export function installShim(host: Host): void {
  host.must('mkdir', '-p', '/opt/cni/bin');
  host.write(shim, readFileSync('rpm/files/microshift-net-cni.sh', 'utf8'));
  host.must('chmod', '755', shim);
}

/** Creates a pod of a node, as the scheduler leaves it. */
export async function createPod(
  server: ApiServer,
  nodeName: string,
  name: string,
  annotations: Readonly<Record<string, string>> = {},
  namespace = 'default',
): Promise<TestPod> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, annotations },
    spec: {
      nodeName,
      automountServiceAccountToken: false,
      containers: [{ name: 'one', image: 'registry.example/one:1' }],
    },
  };
  const { status, body } = await server.call('POST', `/api/v1/namespaces/${namespace}/pods`, pod);
  if (status !== 201) throw new Error(`pod ${name}: ${JSON.stringify(body)}`);
  return { namespace, name, uid: body.metadata.uid };
}

/**
 * Creates a network namespace as CRI-O and containerd do, and returns the arguments with which they call the plug-in.
 */
export function makeSandbox(host: Host, id: string, pod: TestPod): Sandbox {
  const name = `cni-${id.slice(0, 20)}`;
  host.must('ip', 'netns', 'add', name);
  host.must('ip', '-n', name, 'link', 'set', 'lo', 'up');
  const args = `IgnoreUnknown=1;K8S_POD_NAMESPACE=${pod.namespace};K8S_POD_NAME=${pod.name};K8S_POD_INFRA_CONTAINER_ID=${id};K8S_POD_UID=${pod.uid}`;
  return { id, netns: `/run/netns/${name}`, args };
}

/** Deletes the namespace as a sandbox is deleted, without a call of the plug-in. */
export function removeNamespace(host: Host, { netns }: Sandbox): void {
  host.must('ip', 'netns', 'delete', netns.replace('/run/netns/', ''));
}

/** Answer of the plug-in, and its duration. */
export interface CniAnswer {
  readonly status: number | null;
  /** Output of the plug-in as a JSON value; undefined if the plug-in printed nothing. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
  readonly result: any;
  readonly tookMs: number;
}

/** Runs the plug-in as a runtime does. `before` is a command that starts the plug-in. */
export async function cni(
  host: Host,
  command: string,
  { id, netns, args }: Sandbox,
  config: object = {},
  before: readonly string[] = [],
  program = shim,
): Promise<CniAnswer> {
  const beganMs = performance.now();
  const child = host.start(
    'env',
    `CNI_COMMAND=${command}`,
    `CNI_CONTAINERID=${id}`,
    `CNI_NETNS=${netns}`,
    'CNI_IFNAME=eth0',
    `CNI_ARGS=${args}`,
    'CNI_PATH=/opt/cni/bin',
    ...before,
    program,
  );
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => process.stderr.write(`# ${host.name}: ${command}: ${chunk}`));
  child.stdin?.on('error', () => undefined).end(JSON.stringify({ ...network, ...config }));
  const [status] = await once(child, 'close');
  const tookMs = performance.now() - beganMs;
  return { status, result: text === '' ? undefined : JSON.parse(text), tookMs };
}

/** Returns functions that run programs in the network of a pod. */
export function inPod(host: Host, { netns }: Sandbox): Pick<Host, 'run' | 'start' | 'must'> {
  const inside = (words: readonly string[]): string[] => ['nsenter', `--net=${netns}`, ...words];
  return {
    run: (words, input) => host.run(inside(words), input),
    start: (...words) => host.start(...inside(words)),
    must: (...words) => host.must(...inside(words)),
  };
}

/** Returns the ports of br-int and the links of pods on a node. */
export function ofPods(host: Host): readonly string[] {
  const rows = JSON.parse(
    host.must('ovs-vsctl', '--format=json', '--columns=name,external_ids', 'list', 'Interface'),
  ) as {
    readonly data: readonly (readonly [string, readonly [string, readonly (readonly [string, string])[]]])[];
  };
  const ports = rows.data
    .filter(([, [, ids]]) => ids.some(([key]) => key === 'sandbox'))
    .map(([name]) => `port ${name}`);
  const links = JSON.parse(host.must('ip', '-json', 'link', 'show', 'type', 'veth')) as readonly { ifname: string }[];
  return [...ports, ...links.flatMap(({ ifname }) => (ifname.startsWith('eth') ? [] : [`link ${ifname}`]))].toSorted();
}
