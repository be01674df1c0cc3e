// A node with an API server and a simple kubelet, both as services of the node: they replace MicroShift for the agent's
// manifests, without images.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { apiOfNode, kube, kubeconfigFor, kubeconfigPath, lastingUnit } from '../cluster/api-in-node.ts';
import { bootNode, type TestNode } from '../node/node.ts';
import { compiledDir, projectDir } from '../node/source.ts';

const here = path.join(projectDir, 'test/ovnkube');

/**
 * LAN whose switch sends complete checksums, which Open vSwitch's userspace data path needs; a server behind the switch
 * answers with its name.
 */
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

/** Options of the node that most of these tests do not need. */
export interface ClusterOptions {
  /** More files of the node. */
  readonly files?: Readonly<Record<string, string>>;
  /** True if the node and the cluster have both IPv4 and IPv6. */
  readonly isDualStack?: boolean;
}

/**
 * Boots the node with an ovn.yaml, which must select the userspace data path, because this machine's kernel can lack
 * the module openvswitch. `ovnkube` is the folder with the real program and its CNI plug-in; if null, the image lacks
 * them.
 */
export async function bootCluster(
  ovnkube: string | null,
  ovnYaml: string,
  { files = {}, isDualStack = false }: ClusterOptions = {},
): Promise<TestNode> {
  const networks = isDualStack ? dualStack : ipv4Only;
  const folder = mkdtempSync(path.join(tmpdir(), 'microshift-net-ovnkube-'));
  try {
    const api = apiOfNode(folder, networks.services);
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
        ...api.folders,
        '/testnode/kubelet': path.join(compiledDir, '../ovnkube/kubelet'),
        '/testnode/kubelet/launch.sh': path.join(here, 'kubelet/launch.sh'),
        '/testnode/ovnkube': path.join(here, 'guest'),
        ...image,
      },
      files: {
        ...api.files,
        '/testnode/kubelet/package.json': '{ "type": "module" }',
        '/etc/systemd/system/kubelet.service': lastingUnit(
          'kube.service microshift-ovs-init.service openvswitch-switch.service',
          `/usr/bin/node /testnode/kubelet/kubelet.js node ${networks.node} ${kube} localhost:6443`,
        ),
        '/etc/systemd/system/multi-user.target.d/kube.conf': '[Unit]\nWants=kube.service kubelet.service\n',
        [kubeconfigPath]: kubeconfigFor('localhost'),
        '/etc/microshift/ovn.yaml': ovnYaml,
        '/etc/microshift/config.yaml': `network:\n  cniPlugin: none\n${networks.config}`,
        ...files,
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
