// Kubernetes on the nodes of an overlay: a control plane on the first node, and on each node a real kubelet, containerd
// and the overlay's daemon.
import { type Daemon, startDaemon } from '../overlay/daemon.ts';
import { type Host, type Lan, startCentral, startController, startLan } from '../overlay/hosts.ts';
import { startOutside } from '../overlay/outside.ts';
import { oneOvn } from '../overlay/ovn-of-nodes.ts';
import { installShim } from '../overlay/pods.ts';
import { adminKubeconfig, type ControlPlane, startControlPlane } from './control-plane.ts';
import { equip, kubeletKubeconfig, type Worker, workerMounts } from './worker-node.ts';

/** Owner of steps that run at the end of a test or of a demonstration. */
export interface Scope {
  teardown(undo: () => void | Promise<void>): unknown;
  /** Function that is called with the output of the daemons, which otherwise goes to standard error. */
  readonly tell?: (text: string) => void;
}

export interface Node extends Worker {
  /**
   * The process of the overlay's daemon, which runs with the command line of its unit; after a restart, the new
   * process.
   */
  readonly daemon: Daemon;
  startDaemon(): Promise<void>;
}

export interface Cluster extends Omit<ControlPlane, 'admit' | 'host'> {
  readonly lan: Lan;
  /** The LAN's router, and other hosts of the LAN. */
  readonly outside: Host;
  /** Nodes of the cluster, the central one first. */
  readonly nodes: readonly [Node, Node];
}

/**
 * Starts two nodes, and waits until both are ready for pods. `mounts` are folders of this machine with their paths on
 * the nodes, as FOLDER=PATH.
 */
export async function startCluster(scope: Scope, mounts: readonly string[] = []): Promise<Cluster> {
  // The nodes have the newest release of OVN that this machine has.
  const lan = await startLan(scope, oneOvn());
  const outside = await startOutside(lan, workerMounts());
  const ofWorkers = [...workerMounts(), ...mounts];
  const hosts = [await lan.host('n1', 11, [], ofWorkers), await lan.host('n2', 12, [], ofWorkers)] as const;
  // Without this option, the kernel would answer ARP on the NIC, in addition to the bridge.
  for (const host of [outside, ...hosts]) host.must('ip', 'link', 'set', 'eth0', 'arp', 'off');
  const workers = [await equip(scope, hosts[0]), await equip(scope, hosts[1])] as const;
  formOverlay(hosts);
  const nodes = [await nodeOf(workers[0], scope), await nodeOf(workers[1], scope)] as const;
  const { admit, host: _, ...control } = startControlPlane(hosts[0], ['n1', 'n2']);
  for (const { host, startRuntime, startKubelet } of nodes) {
    installShim(host);
    admit(host, adminKubeconfig);
    admit(host, kubeletKubeconfig, host.name);
    startRuntime();
    startKubelet();
  }
  for (const condition of ['create', 'condition=Ready'])
    for (const { host } of nodes) control.kubectl('wait', `--for=${condition}`, `node/${host.name}`, '--timeout=110s');
  // If pods are scheduled before one of the nodes accepts pods, all of them run on the other node.
  const tainted = control.kubectlWords(['get', 'nodes', '-o', 'jsonpath={.items[*].spec.taints}']);
  hosts[0].must('sh', '-c', 'until said=$("$@") && test -z "$said"; do sleep 0.2; done', 'sh', ...tainted);
  return { ...control, lan, outside, nodes };
}

/** Makes an overlay of both nodes with the commands that an administrator uses. */
function formOverlay([central, other]: readonly [Host, Host]): void {
  startCentral(central);
  for (const host of [central, other]) startController(host);
  must(central, 'overlay', 'init');
  const bundle = must(central, 'overlay', 'pki', 'issue', other.name, '--system-id', `${other.name}-of-the-test`);
  const { status, stderr } = other.agentWith(bundle, 'overlay', 'join', '-');
  if (status !== 0) throw new Error(`overlay join: ${stderr}`);
  for (const host of [central, other]) must(host, 'overlay', 'gateway');
}

/** Runs a command of the agent, which must succeed, and returns its output. */
function must(host: Host, ...words: readonly string[]): string {
  const { status, stdout, stderr } = host.agent(...words);
  if (status !== 0) throw new Error(`${host.name}: ${words.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

async function nodeOf(worker: Worker, { tell }: Scope): Promise<Node> {
  let daemon = await startDaemon(worker.host, undefined, tell);
  return {
    ...worker,
    get daemon() {
      return daemon;
    },
    startDaemon: async () => {
      daemon = await startDaemon(worker.host, undefined, tell);
    },
  };
}
