// Two booted nodes that can become a cluster.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { bootNode, type NodeOptions, type TestNode } from './node.ts';
import { withSecondNode } from './second-node.ts';
import { projectDir } from './source.ts';

/**
 * Both have the userspace data path: the machine's kernel may have no openvswitch module; and the CNI plug-in, where
 * the package has it.
 */
const ownFiles = {
  '/etc/microshift/ovn.yaml': 'ovs:\n  datapathType: netdev\n',
  '/usr/libexec/cni/microshift-net-cni': readFileSync(path.join(projectDir, 'rpm/files/microshift-net-cni.sh'), 'utf8'),
  ...withSecondNode(),
};

/**
 * The switch sends whole checksums, as that data path needs them. Behind it is a network of its own, 198.51.100.0/24.
 */
const lan = `lan() {
  nic eth0; lan_ip lan0 192.0.2.1/24 198.51.100.1/24
  for device in lan0 peth0; do $LAN ethtool -K "$device" tx off; done
}`;

/**
 * Boots both; each has its NIC under br-ex, 192.0.2.50 and .51. `more`: what they have beside that. `install` puts the
 * agent on a node that is bare.
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

/** Asks until the first answer: the first packets of a tunnel wait for the neighbour's address. */
export const reach = (address: string, seconds = 30): string => `ping -c 1 -w ${seconds} ${address}`;
