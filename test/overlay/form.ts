import type { Test } from 'tap';
import { type Host, startCentral, startController } from './hosts.ts';

/** Ranges of both families, as keys of the group overlay of ovn.yaml. */
export const dualStack = {
  clusterSubnet: '10.42.0.0/16,fd01::/48',
  serviceSubnet: '10.43.0.0/16,fd02::/112',
  joinSubnet: '100.64.0.0/16,fd98::/64',
};

/** Writes a node's ovn.yaml, with these keys of the group overlay. */
export function configure(host: Host, overlay: Readonly<Record<string, string>>): void {
  host.write('/etc/microshift/ovn.yaml', JSON.stringify({ ovs: { datapathType: 'netdev' }, overlay }));
}

/**
 * Makes a cluster of these nodes, the first of which is the central one; `grants` are options of `pki issue` for some
 * nodes.
 */
export function form(
  t: Test,
  [central, ...others]: readonly [Host, ...Host[]],
  grants: Readonly<Record<string, readonly string[]>> = {},
): void {
  startCentral(central);
  for (const host of [central, ...others]) startController(host);
  t.match(central.agent('overlay', 'init'), { status: 0 });
  for (const host of others) {
    const words = ['--system-id', `${host.name}-of-the-test`, ...(grants[host.name] ?? [])];
    const { stdout } = central.agent('overlay', 'pki', 'issue', host.name, ...words);
    const joined = host.agentWith(stdout, 'overlay', 'join', '-');
    t.match(joined, { status: 0 }, `${host.name} joins`, { stderr: joined.stderr });
  }
}
