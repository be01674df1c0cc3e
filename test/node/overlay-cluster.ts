// Two booted nodes that can become a cluster.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { bootNode, type NodeOptions, type TestNode } from './node.ts';
import { withSecondNode } from './second-node.ts';
import { projectDir } from './source.ts';

/**
 * Files of both nodes: the CNI plug-in at the path of the package, and the userspace data path in ovn.yaml, because
 * this machine's kernel may have no module openvswitch. The first node also has the files that start the second one.
 */
const ownFiles = {
  '/etc/microshift/ovn.yaml': 'ovs:\n  datapathType: netdev\n',
  '/usr/libexec/cni/microshift-net-cni': readFileSync(path.join(projectDir, 'rpm/files/microshift-net-cni.sh'), 'utf8'),
  ...withSecondNode(),
};

/**
 * LAN whose switch sends complete checksums, which the userspace data path needs; behind the switch is a separate
 * network, 198.51.100.0/24.
 */
const lan = `lan() {
  nic eth0; lan_ip lan0 192.0.2.1/24 198.51.100.1/24
  for device in lan0 peth0; do $LAN ethtool -K "$device" tx off; done
}`;

/**
 * Boots both nodes; each has its NIC under br-ex, with 192.0.2.50 and .51. `more` has further files. `install` copies
 * the agent to a node without it.
 */
export async function bootTwoNodes(
  more: Pick<NodeOptions, 'bare' | 'folders' | 'files'> = {},
  install?: (node: TestNode) => Promise<unknown>,
): Promise<TestNode> {
  const files = { ...ownFiles, ...more.files };
  const options = {
    ...more,
    files,
    lan: 'static4',
    lanAppend: lan,
    enableUnit: true,
    kernel: 'of this machine',
  } as const;
  const node = await bootNode(options);
  const start = async (): Promise<void> => {
    await install?.(node);
    await node.text('systemctl start microshift-ovs-init second-node');
  };
  await start().catch(async (error: unknown) => {
    await node.halt();
    throw error;
  });
  return node;
}

/** Command that prints the name of the node's chassis in OVN. */
export const identity = 'cat /etc/openvswitch/system-id.conf';

/**
 * Returns a command that sends requests until the first answer: the first packets of a tunnel wait for the neighbour's
 * MAC.
 */
export const reach = (address: string, seconds = 30): string => `ping -c 1 -w ${seconds} ${address}`;
