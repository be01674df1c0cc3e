import type { OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import { masqueradeSubnets } from '../../model/ovn-kubernetes-addresses.ts';
import { isIpv6 } from '../addresses.ts';
import { nodeNames } from '../overlay-names.ts';
import { aclPriorities } from '../rows/acl-priorities.ts';
import { is } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { addNamelessRow } from '../rows/nameless-rows.ts';
import { addRouterPolicy } from '../rows/router-policies.ts';
import { tunnelPorts } from '../tunnel-ports.ts';

/**
 * Priority of the router policies that drop forged packets and tunnel packets: above the router policies by which pods
 * reach the nodes.
 */
const priority = 1010;

const families = [
  { number: 4, isSix: false, word: 'ip4' },
  { number: 6, isSix: true, word: 'ip6' },
] as const;

/**
 * Match of the packets of a tunnel, which have the UDP destination port of Geneve or VXLAN (ovn-sb(5), logical
 * expressions).
 */
export const isTunnelPacket = `udp.dst == {${Object.values(tunnelPorts)
  .toSorted((a, b) => a - b)
  .join(', ')}}`;

/**
 * Plans router policies against forged sources. Network policies identify a pod by its address. A packet from outside
 * is therefore dropped by the first router that it reaches if its source is an address of the cluster, which are those
 * in `inside`.
 */
export function addOutsideGuards(
  desired: DesiredRows,
  inside: readonly string[],
  router: PlannedRow,
  outsidePort: string,
  node: string,
): void {
  for (const { number, isSix, word } of families) {
    const own = inside.filter((range) => isIpv6(range) === isSix);
    if (own.length === 0) continue;
    const ranges = [...own, masqueradeSubnets[number]].join(', ');
    const match = `inport == "${outsidePort}" && ${word}.src == {${ranges}}`;
    addDropped(desired, router, match, node, 'a packet from outside with a source address of the cluster is forged');
  }
}

/**
 * Plans a router policy that drops tunnel packets that pods send. Such a packet would leave by a gateway, with the
 * gateway's address as its source. If the gateway's node uses this address for its tunnels, other nodes would accept
 * the content of the packet as a packet from a pod of the gateway's node. The same holds for a tunnel packet from
 * outside that a service forwards to another node.
 */
export function addTunnelGuard(desired: DesiredRows, router: PlannedRow, node: string): void {
  addDropped(desired, router, isTunnelPacket, node, 'pods may not send tunnel packets');
}

function addDropped(desired: DesiredRows, router: PlannedRow, match: string, node: string, why: string): void {
  addRouterPolicy(desired, router, node, { priority, match }, { action: is('drop') }, why);
}

/**
 * Plans the ACLs against forged sources for packets that the node itself forwards into the cluster, whichever interface
 * they arrived by. The ACLs drop a packet from the node's management port if the source is an address of the cluster's
 * pod subnets or of the masquerade subnet, except the port's own address. Without these ACLs, another host could pass
 * for a pod, or for a node: network policies always allow the addresses of nodes. A further ACL drops tunnel packets
 * that pods send to the node.
 */
export function addNodeGuards(
  desired: DesiredRows,
  { clusterSubnets }: OverlayLayout,
  node: OverlayNode,
  own: readonly string[],
  nodeSwitch: PlannedRow,
): void {
  const { management } = nodeNames(node.name);
  const drop = (direction: 'from-lport' | 'to-lport', match: string, why: string): void => {
    addNamelessRow(desired, {
      table: 'ACL',
      title: `${node.name}: ${match}`,
      holder: nodeSwitch,
      column: 'acls',
      key: { direction, priority: aclPriorities.guard, match },
      columns: { action: is('drop') },
      node: node.name,
      why,
    });
  };
  for (const { number, isSix, word } of families) {
    const ranges = clusterSubnets.filter((range) => isIpv6(range) === isSix);
    if (ranges.length === 0) continue;
    const except = own.filter((address) => isIpv6(address) === isSix).map((address) => ` && ${word}.src != ${address}`);
    const from = `${word}.src == {${[...ranges, masqueradeSubnets[number]].join(', ')}}${except.join('')}`;
    drop(
      'from-lport',
      `inport == "${management}" && ${from}`,
      'a packet that a node sends with the address of a pod is forged',
    );
  }
  drop('to-lport', `outport == "${management}" && ${isTunnelPacket}`, 'pods may not send tunnel packets');
}
