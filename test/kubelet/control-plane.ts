// A real control plane of Kubernetes in the namespaces of a node, like MicroShift's: etcd, API server, controllers and
// scheduler.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { auditLogIn, flagsOf, withoutCollections } from '../cluster/api-server.ts';
import { auditPolicy } from '../cluster/audit.ts';
import { builtBinaries } from '../cluster/binaries.ts';
import { makeAccountKeys, makeCertificates } from '../cluster/certificates.ts';
import { kubeconfigText } from '../cluster/kubeconfig-text.ts';
import type { Host } from '../overlay/hosts.ts';

/** Folder on a node with the programs of builtBinaries(). */
export const programs = '/opt/kubernetes';
/** Folder of the control plane's certificates, keys and data. */
const folder = '/var/lib/kubernetes';
/** Words that run a program with an environment in which it collects no garbage. */
const quickly = ['env', ...Object.entries(withoutCollections).map(([name, value]) => `${name}=${value}`)];
const ports = { etcd: 2379, peer: 2380, api: 6443 } as const;
/** Path at which the daemon finds the kubeconfig on a node with MicroShift. */
export const adminKubeconfig = '/var/lib/microshift/resources/kubeadmin/kubeconfig';

export interface ControlPlane {
  readonly host: Host;
  readonly server: string;
  /** Runs kubectl as the administrator, and returns its output. Fails with its error output. */
  kubectl(...words: readonly string[]): string;
  /** Returns the command line that runs kubectl with these arguments on the node. */
  kubectlWords(words: readonly string[]): readonly string[];
  /** Starts kubectl with standard input and output that stay open while it runs. */
  startKubectl(...words: readonly string[]): ChildProcess;
  /** Creates or changes objects. */
  apply(...objects: readonly object[]): void;
  /** Writes a kubeconfig of the administrator, or of a node's kubelet, and the CA to a node. */
  admit(node: Host, file: string, kubeletOf?: string): void;
}

/**
 * Starts the control plane on a node that has the programs, for nodes with these names, and waits until it is ready.
 */
export function startControlPlane(host: Host, nodeNames: readonly string[]): ControlPlane {
  const here = host.path(folder);
  const tokens = new Map(['admin', ...nodeNames].map((name) => [name, randomBytes(16).toString('hex')]));
  const groups = (name: string): string =>
    name === 'admin' ? 'admin,1,system:masters' : `system:node:${name},${name},system:nodes`;
  mkdirSync(dirname(auditLogIn(here)), { recursive: true });
  writeFileSync(join(here, 'tokens.csv'), [...tokens].map(([name, token]) => `${token},${groups(name)}\n`).join(''));
  writeFileSync(join(here, 'audit-policy.json'), JSON.stringify(auditPolicy));
  makeAccountKeys(here);
  // MicroShift's certificate also includes the first address of the service network. Configurations of 2016 reach the
  // API server at the node's address in the overlay.
  const names = [host.address, '127.0.0.1', '10.43.0.1', '10.42.0.2'].map((address) => `IP:${address}`);
  makeCertificates(here, names.join());

  const server = `https://${host.address}:${ports.api}`;
  const admit: ControlPlane['admit'] = (node, file, kubeletOf) => {
    const caFile = '/etc/kubernetes/ca.crt';
    node.write(caFile, host.must('cat', join(folder, 'ca.crt')));
    node.must('mkdir', '-p', dirname(file));
    node.write(file, kubeconfigText({ server, caFile, user: { token: tokens.get(kubeletOf ?? 'admin') } }));
  };
  admit(host, adminKubeconfig);
  const start = (name: string, ...words: readonly string[]): void => {
    const program = name === 'etcd' ? name : join(programs, name);
    host.start('sh', '-c', `exec "$@" >> /var/log/${name}.log 2>&1`, 'sh', ...quickly, program, ...words);
  };
  const flags = flagsOf(folder, ports);
  start('etcd', ...flags.etcd);
  start(
    basename(builtBinaries().kubeApiserver),
    ...flags.kubeApiserver,
    '--bind-address=0.0.0.0',
    `--advertise-address=${host.address}`,
    '--endpoint-reconciler-type=lease',
    '--authorization-mode=Node',
    '--kubelet-preferred-address-types=InternalIP',
    `--kubelet-client-certificate=${folder}/client.crt`,
    `--kubelet-client-key=${folder}/client.key`,
  );
  const kubectlWords: ControlPlane['kubectlWords'] = (words) => [
    ...quickly,
    join(programs, 'kubectl'),
    '--kubeconfig',
    adminKubeconfig,
    ...words,
  ];
  const kubectl: ControlPlane['kubectl'] = (...words) => host.must(...kubectlWords(words));
  host.must(
    'sh',
    '-c',
    `until ${programs}/kubectl --kubeconfig ${adminKubeconfig} get --raw /readyz; do sleep 0.2; done`,
  );
  const common = [`--kubeconfig=${adminKubeconfig}`, '--leader-elect=false'];
  start('kube-scheduler', ...common);
  start(
    'kube-controller-manager',
    ...common,
    '--use-service-account-credentials=false',
    `--service-account-private-key-file=${folder}/sa.key`,
    `--root-ca-file=${folder}/ca.crt`,
    // With a short interval, the loss of a node's power is noticed within seconds.
    '--node-monitor-period=1s',
    '--node-monitor-grace-period=8s',
  );
  return {
    host,
    server,
    kubectl,
    kubectlWords,
    startKubectl: (...words) => host.start(...kubectlWords(words)),
    apply: (...objects) => {
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
      const { status, stderr } = host.run(kubectlWords(['apply', '--server-side', '-f', '-']), list);
      if (status !== 0) throw new Error(`kubectl apply ended with ${status}: ${stderr}`);
    },
    admit,
  };
}
