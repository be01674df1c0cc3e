// A node with an API server and a kubelet by hand, both services of the node: what MicroShift is to our manifests, without images.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { auditLogIn, flagsOf } from '../cluster/api-server.ts';
import { auditPolicy } from '../cluster/audit.ts';
import { builtBinaries } from '../cluster/binaries.ts';
import { makeAccountKeys, makeCertificates } from '../cluster/certificates.ts';
import { bootNode, type TestNode } from '../node/node.ts';
import { compiledDir, projectDir } from '../node/source.ts';

const here = path.join(projectDir, 'test/ovnkube');
const kube = '/testnode/kube';
/** Where the node has the log of what the pods' accounts asked the API server. */
export const auditLogPath = auditLogIn(kube);
const token = 'the-administrator';

/** The switch sends whole checksums, as Open vSwitch's userspace data path needs them; behind it a server tells its name. */
const lan = `lan() {
  nic eth0; lan_ip lan0 192.0.2.1/24 2001:db8::1/64
  for device in lan0 peth0; do $LAN ethtool -K "$device" tx off; done
  setsid $LAN node /testnode/ovnkube/server.mjs lan < /dev/null > /dev/null 2>&1 &
}`;
const ipv4Only = { lan: 'static4', node: '192.0.2.50', services: '10.43.0.0/16', config: '' };
const dualStack = {
  lan: 'static-dual',
  node: '192.0.2.50,2001:db8::50',
  services: '10.43.0.0/16,fd02::/112',
  config: '  clusterNetwork: [10.42.0.0/16, fd01::/48]\n  serviceNetwork: [10.43.0.0/16, fd02::/112]\n',
};
const extraFlags = ['--bind-address=0.0.0.0', '--advertise-address=192.0.2.50', '--endpoint-reconciler-type=lease'];

/** MicroShift's file name, so that the commands find it by themselves. */
const kubeconfigPath = '/var/lib/microshift/resources/kubeadmin/kubeconfig';
const kubeconfig = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'c', cluster: { server: 'https://localhost:6443', 'certificate-authority': `${kube}/ca.crt` } }],
  users: [{ name: 'u', user: { token } }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'x',
});

const unit = (after: string, command: string): string =>
  `[Unit]\nAfter=${after}\n[Service]\nExecStart=${command}\nRestart=always\n`;

/** What of the node is not as in most of these tests. */
export interface ClusterOptions {
  /** More files of the node. */
  readonly files?: Readonly<Record<string, string>>;
  /** With addresses of both families, in the node and in the cluster. */
  readonly isDualStack?: boolean;
}

/**
 * Boots the node with an ovn.yaml, whose data path must be the userspace one: this machine's kernel may have no openvswitch module.
 * `ovnkube` is the folder with the real program and its CNI plug-in; null: the image lacks them.
 */
export async function bootCluster(
  ovnkube: string | null,
  ovnYaml: string,
  { files = {}, isDualStack = false }: ClusterOptions = {},
): Promise<TestNode> {
  const networks = isDualStack ? dualStack : ipv4Only;
  const folder = mkdtempSync(path.join(tmpdir(), 'microshift-net-ovnkube-'));
  try {
    mkdirSync(path.dirname(auditLogIn(folder)));
    makeAccountKeys(folder);
    makeCertificates(folder, 'IP:127.0.0.1,IP:192.0.2.50,DNS:localhost');
    const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
    write('token', token);
    write('tokens.csv', `${token},admin,1,"system:masters"\n`);
    write('audit-policy.json', JSON.stringify(auditPolicy));
    write('admin.kubeconfig', kubeconfig);
    const flags = flagsOf(kube, { etcd: 2379, peer: 2380, api: 6443 });
    const start = `etcd ${flags.etcd.join(' ')} &\nexec kube-apiserver ${[...flags.kubeApiserver, ...extraFlags, `--service-cluster-ip-range=${networks.services}`].join(' ')}\n`;
    const { kubeApiserver, kubectl } = builtBinaries();
    const image: Record<string, string> =
      ovnkube === null
        ? {}
        : {
            '/usr/bin/ovnkube': path.join(ovnkube, 'ovnkube'),
            '/usr/libexec/cni/ovn-k8s-cni-overlay': path.join(ovnkube, 'ovn-k8s-cni-overlay'),
          };
    return await bootNode({
      lan: networks.lan,
      lanAppend: lan,
      enableUnit: true,
      kernel: 'of this machine',
      folders: {
        [kube]: folder,
        '/testnode/kubelet': path.join(compiledDir, '../ovnkube/kubelet'),
        '/testnode/kubelet/launch.sh': path.join(here, 'kubelet/launch.sh'),
        '/testnode/ovnkube': path.join(here, 'guest'),
        '/usr/bin/kube-apiserver': kubeApiserver,
        '/usr/bin/kubectl': kubectl,
        '/usr/bin/etcd': '/usr/bin/etcd',
        ...image,
      },
      files: {
        '/testnode/kubelet/package.json': '{ "type": "module" }',
        '/testnode/kube/start.sh': `#!/bin/bash\n${start}`,
        '/etc/systemd/system/kube.service': unit('network.target', `${kube}/start.sh`),
        '/etc/systemd/system/kubelet.service': unit(
          'kube.service microshift-ovs-init.service openvswitch-switch.service',
          `/usr/bin/node /testnode/kubelet/kubelet.js node ${networks.node} ${kube} localhost:6443`,
        ),
        '/etc/systemd/system/multi-user.target.d/kube.conf': '[Unit]\nWants=kube.service kubelet.service\n',
        [kubeconfigPath]: kubeconfig,
        '/etc/microshift/ovn.yaml': ovnYaml,
        '/etc/microshift/config.yaml': `network:\n  cniPlugin: none\n${networks.config}`,
        ...files,
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
