// containerd and a real kubelet on a node of test/overlay/hosts.ts.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtBinaries } from '../cluster/binaries.ts';
import { unpackedContainerd } from '../cluster/unpacked-containerd.ts';
import { type Host, newerSwitch } from '../overlay/hosts.ts';
import { programs } from './control-plane.ts';
import { makeGroups } from './groups.ts';
import { pauseImage, writeImages } from './images.ts';

const runtimeSocket = '/run/containerd/containerd.sock';
/** Variable of the environment with which containerd and the kubelet collect garbage a fifth as often as usual. */
const fewCollections = 'GOGC=500';
const nodePath = 'PATH=/opt/containerd/bin:/opt/containerd/sbin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Kubeconfig of the kubelet, whose rights the Node authorizer limits. */
export const kubeletKubeconfig = '/etc/kubernetes/kubelet.kubeconfig';

const runtimeConfig = `version = 2
[grpc]
  address = "${runtimeSocket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  disable_apparmor = true
  # Without CAP_SYS_RESOURCE, a process cannot get an OOM score below that of its parent.
  restrict_oom_score_adj = true
`;

const kubeletConfig = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  authentication: { anonymous: { enabled: false }, x509: { clientCAFile: '/etc/kubernetes/ca.crt' } },
  authorization: { mode: 'Webhook' },
  containerRuntimeEndpoint: `unix://${runtimeSocket}`,
  cgroupDriver: 'cgroupfs',
  failCgroupV1: false,
  failSwapOn: false,
  makeIPTablesUtilChains: false,
  // The kubelet evicts no pod, however full the disk of this machine is.
  evictionHard: { 'nodefs.available': '0%' },
  imageGCHighThresholdPercent: 100,
  localStorageCapacityIsolation: false,
  resolvConf: '',
  // MicroShift's address of the DNS service. In a cluster without a DNS server, nothing has the address.
  clusterDNS: ['10.43.0.10'],
  clusterDomain: 'cluster.local',
  // With a short interval, the loss of a node's power is noticed within seconds.
  nodeStatusUpdateFrequency: '2s',
  nodeLeaseDurationSeconds: 8,
} as const;

/** Returns options of the node (test/overlay/hosts.ts): folders with the programs of Kubernetes and containerd. */
export function workerMounts(): readonly string[] {
  const kubernetes = `${dirname(builtBinaries().kubelet)}=${programs}`;
  return [kubernetes, `${join(unpackedContainerd(), 'usr')}=/opt/containerd`, ...newerSwitch()];
}

export interface Worker {
  readonly host: Host;
  /** Starts containerd, and imports the test's images. */
  startRuntime(): void;
  startKubelet(): void;
  /** Kills containerd or the kubelet; containers continue. */
  kill(program: 'containerd' | 'kubelet'): void;
  /** Ends all processes on the node at once. */
  cutPower(): Promise<void>;
}

/**
 * Prepares a node that was made with workerMounts(), for containerd and the kubelet, but starts neither. Their files
 * are removed when the test ends.
 */
export async function equip(t: { teardown(undo: () => Promise<void>): unknown }, host: Host): Promise<Worker> {
  const groups = makeGroups(host.name);
  const children: ChildProcess[] = [];
  const cutPower = async (): Promise<void> => {
    const gone = children.map((child) => (child.exitCode ?? child.signalCode) === null && once(child, 'exit'));
    process.kill(host.pid, 'SIGKILL');
    // host.gone includes the processes of containers, which containerd has started.
    await Promise.all([...gone, host.gone]);
  };
  t.teardown(async () => {
    if (isThere(host.pid)) await cutPower();
    groups.remove();
  });
  const inGroups = (words: readonly string[]): ChildProcess => {
    const [program = '', ...rest] = groups.joined(words);
    const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    return child;
  };
  const enter = ['nsenter', '-m', '-n', '-u', '-p', '-r', '-w', '-t'];
  const script = readFileSync('test/kubelet/node.sh', 'utf8');
  const keeper = inGroups([
    ...enter,
    String(host.pid),
    'unshare',
    '-C',
    'bash',
    '-c',
    script,
    'node.sh',
    ...groups.controllers,
  ]);
  const said = await Promise.race([once(keeper.stdout as NodeJS.ReadableStream, 'data'), once(keeper, 'exit')]);
  if (!String(said).startsWith('ready')) throw new Error(`node.sh ended with ${said}`);
  const inside = readFileSync(`/proc/${keeper.pid}/task/${keeper.pid}/children`, 'utf8').trim();
  const start = (name: string, ...words: readonly string[]): void => {
    const logged = ['sh', '-c', `exec "$@" >> /var/log/${name}.log 2>&1`, 'sh', ...words];
    inGroups([...enter, inside, '-C', 'env', '-i', nodePath, fewCollections, 'HOME=/root', ...logged]);
  };

  host.write('/etc/containerd/config.toml', runtimeConfig);
  host.write('/etc/kubernetes/kubelet.json', JSON.stringify(kubeletConfig));
  writeImages(host.path('/var/lib/images.tar'));
  const startRuntime = (): void => {
    start('containerd', 'containerd', '--config', '/etc/containerd/config.toml');
    const ctr = `env ${nodePath} ctr -n k8s.io images`;
    host.must('sh', '-c', `until ${ctr} import /var/lib/images.tar; do sleep 0.2; done`);
  };
  return {
    host,
    cutPower,
    startRuntime,
    startKubelet: () =>
      start(
        'kubelet',
        `${programs}/kubelet`,
        '--config=/etc/kubernetes/kubelet.json',
        `--kubeconfig=${kubeletKubeconfig}`,
        `--hostname-override=${host.name}`,
        `--node-ip=${host.address}`,
      ),
    kill: (program) => void host.must('pkill', '-KILL', '-x', program),
  };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
