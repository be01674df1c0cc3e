import type { DirectNode } from '../../model/direct-node.ts';
import type { OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import { contains } from '../../net/address-range.ts';
import { isIpv6, rangeOf, withoutLength } from '../addresses.ts';
import { traitsOf } from '../layouts/layouts.ts';
import { isBeside } from '../peers/peer-ways.ts';

/**
 * Returns the members that take part in direct routes; none in layout `seed`. A member needs a gateway that has the
 * member's own address, and whose packets have no VLAN tag. Members whose packets leave the cluster by the gateway of
 * another node are left out.
 */
export function directNodes(
  layout: Pick<OverlayLayout, 'naming'>,
  members: readonly OverlayNode[],
): readonly DirectNode[] {
  if (!traitsOf(layout).guardsGateways) return [];
  return members.flatMap((member) => {
    const one = directNodeOf(member);
    if (one === null || member.direct === undefined || member.direct === null) return [];
    const others = members.flatMap(({ name, gateway }) => (name === member.name ? [] : (gateway?.subnets ?? [])));
    return others.some((given) => contains(rangeOf(given), rangeOf(one.subnet))) ? [] : [one];
  });
}

/** Returns the data with which a node takes part in direct routes; null if its gateway or its subnets permit none. */
export function directNodeOf({
  name,
  subnets,
  gateway,
}: Pick<OverlayNode, 'name' | 'subnets' | 'gateway'>): DirectNode | null {
  if (gateway?.kind !== 'shared' || gateway.isVip === true || gateway.vlan !== null) return null;
  const address = gateway.addresses.find((one) => !isIpv6(one));
  const subnet = subnets.find((one) => !isIpv6(one));
  return address === undefined || subnet === undefined ? null : { name, address, mac: gateway.mac, subnet };
}

/** Returns the nodes of `all` that are on the same LAN as the node `own`, without this node itself. */
export function besideNode(own: DirectNode, all: readonly DirectNode[]): readonly DirectNode[] {
  const isOnLan = (one: DirectNode, other: DirectNode): boolean =>
    isBeside(withoutLength(other.address), { addresses: [one.address] });
  return all.filter((other) => other.name !== own.name && isOnLan(own, other) && isOnLan(other, own));
}

/**
 * Returns the nodes with which a node has direct routes: nodes on the same LAN, if packets of each of the two nodes
 * arrive at the other one, and both gateways are up.
 */
export function directNeighbours(
  layout: Pick<OverlayLayout, 'naming'>,
  members: readonly OverlayNode[],
  node: OverlayNode,
): readonly DirectNode[] {
  const all = directNodes(layout, members);
  const own = all.find(({ name }) => name === node.name);
  if (own === undefined || node.gateway?.isUp !== true) return [];
  return besideNode(own, all).filter(({ name }) => {
    const other = members.find((one) => one.name === name);
    return other?.gateway?.isUp === true && hears(node, name) && hears(other, node.name);
  });
}

function hears({ direct }: OverlayNode, name: string): boolean {
  return direct?.includes(name) === true;
}

/**
 * Returns a sentence for each of the other nodes on the LAN (`neighbours`) whose packets do not arrive by the direct
 * route. `heard` has the names of the nodes whose packets arrive.
 */
export function directFaults(neighbours: readonly DirectNode[], heard: readonly string[]): readonly string[] {
  return neighbours
    .filter(({ name }) => !heard.includes(name))
    .map(
      ({ name, address }) =>
        `no packet of ${name} (${withoutLength(address)}) arrives without a tunnel, so its pods are reached through one: the switch between the nodes may filter the addresses of pods, or the daemon of ${name} does not run`,
    );
}
