import type { DirectNode } from '../../model/direct-node.ts';
import type { OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import { contains } from '../../net/address-range.ts';
import { isIpv6, rangeOf, sameFamily, withoutLength } from '../addresses.ts';
import { traitsOf } from '../layouts/layouts.ts';
import { ipv6Suffix } from '../members/announced-direct.ts';
import { isBeside } from '../peers/peer-ways.ts';

/** Path of packets from pods of one node to the pods in a subnet of another node. */
export interface DirectPath {
  /** Name of the node at the end of the path. */
  readonly name: string;
  /** Subnet of the pods at the end of the path. */
  readonly subnet: string;
  /**
   * Name, address, MAC and subnet of the node at the end of the path; null if the two nodes can have no direct route.
   */
  readonly neighbour: DirectNode | null;
  /** Reason why the packets do not use a direct route; null if they use one. */
  readonly obstacle: DirectObstacle | null;
}

/** Reason why two nodes have no direct route, and an instruction that says how to remove the reason. */
export interface DirectObstacle {
  readonly reason: string;
  readonly remedy: string;
}

/**
 * Returns the members that take part in direct routes; a member is in the list once for each of its address families.
 * Returns none in layout `seed`. A member needs a gateway that has the member's own address, and whose packets have no
 * VLAN tag. Members whose packets leave the cluster by the gateway of another node are left out.
 */
export function directNodes(
  layout: Pick<OverlayLayout, 'naming'>,
  members: readonly OverlayNode[],
): readonly DirectNode[] {
  return members.flatMap((member) =>
    directNodesOf(member).filter(({ subnet }) => partObstacle(layout, members, member, subnet) === null),
  );
}

/**
 * Returns the data with which a node takes part in direct routes, for each family of its subnets; empty if its gateway
 * or its subnets permit no direct route.
 */
export function directNodesOf({
  name,
  subnets,
  gateway,
}: Pick<OverlayNode, 'name' | 'subnets' | 'gateway'>): readonly DirectNode[] {
  if (gateway?.kind !== 'shared' || gateway.isVip === true || gateway.vlan !== null) return [];
  return subnets.flatMap((subnet) => {
    const address = sameFamily(gateway.addresses, subnet);
    return address === null ? [] : [{ name, address, mac: gateway.mac, subnet }];
  });
}

/** Returns the reason why a node takes no part in direct routes with one of its subnets; null if it takes part. */
function partObstacle(
  layout: Pick<OverlayLayout, 'naming'>,
  members: readonly OverlayNode[],
  member: OverlayNode,
  subnet: string,
): DirectObstacle | null {
  const { name, gateway, direct } = member;
  const remedy = `make ${name} a gateway that shares the address of its node: microshift-net overlay gateway, on ${name}`;
  if (!traitsOf(layout).guardsGateways)
    return { reason: 'the layout of 2017 has no direct routes', remedy: 'set overlay.encapsulation: always' };
  if (gateway === null) return { reason: `${name} is not a gateway`, remedy };
  if (gateway.isVip === true)
    return { reason: `the gateway of ${name} has an address that several nodes share`, remedy };
  if (gateway.kind !== 'shared') return { reason: `the gateway of ${name} has a NIC or an address of its own`, remedy };
  if (gateway.vlan !== null) return { reason: `the gateway of ${name} is in VLAN ${gateway.vlan}`, remedy };
  if (sameFamily(gateway.addresses, subnet) === null) {
    const family = isIpv6(subnet) ? 'IPv6' : 'IPv4';
    return {
      reason: `the gateway of ${name} has no ${family} address`,
      remedy: `give ${name} an ${family} address of its segment, and grant it to its gateway: microshift-net overlay verify, on the central node, prints the command`,
    };
  }
  const leading = members.find(
    (other) =>
      other.name !== name && other.gateway?.subnets.some((given) => contains(rangeOf(given), rangeOf(subnet))) === true,
  );
  if (leading !== undefined)
    return {
      reason: `packets of pods of ${name} leave the cluster by the gateway of ${leading.name}`,
      remedy: `leave ${subnet} out of overlay gateway --subnets on ${leading.name}`,
    };
  if (direct === undefined || direct === null)
    return {
      reason: `${name} announces no direct routes`,
      remedy: `set overlay.encapsulation in ovn.yaml of ${name} as on the central node, and restart microshift-net-overlay there`,
    };
  return null;
}

/**
 * Returns the nodes of `all` that are on the same LAN as the node `own`, without this node itself. `own` has the node
 * at most once for each address family.
 */
export function besideNode(own: readonly DirectNode[], all: readonly DirectNode[]): readonly DirectNode[] {
  return all.filter((other) => own.some((one) => other.name !== one.name && isOnSegment(one, other)));
}

function isOnSegment(one: DirectNode, other: DirectNode): boolean {
  const isBesideOf = (a: DirectNode, b: DirectNode): boolean =>
    isBeside(withoutLength(b.address), { addresses: [a.address] });
  return isBesideOf(one, other) && isBesideOf(other, one);
}

/**
 * Returns the word by which a node announces that packets of another node arrive: the name of that other node, with the
 * suffix `/ipv6` for packets over IPv6.
 */
export function heardWord({ name, address }: Pick<DirectNode, 'name' | 'address'>): string {
  return isIpv6(address) ? `${name}${ipv6Suffix}` : name;
}

/**
 * Returns the paths of packets from pods of a node to the subnets of all other members, in the order of the members.
 * Two nodes have a direct route if both take part, both are on one segment of the LAN, both gateways are up, and
 * packets of each of the two arrive at the other one.
 */
export function directPaths(
  layout: Pick<OverlayLayout, 'naming'>,
  members: readonly OverlayNode[],
  node: OverlayNode,
): readonly DirectPath[] {
  const others = members.filter(({ name }) => name !== node.name);
  return others.flatMap((other) =>
    other.subnets.flatMap((subnet) => {
      const own = sameFamily(node.subnets, subnet);
      return own === null ? [] : [pathTo(layout, members, [node, own], [other, subnet])];
    }),
  );
}

function pathTo(
  layout: Pick<OverlayLayout, 'naming'>,
  members: readonly OverlayNode[],
  [node, own]: readonly [OverlayNode, string],
  [other, subnet]: readonly [OverlayNode, string],
): DirectPath {
  const { name } = other;
  const lasting = partObstacle(layout, members, other, subnet) ?? partObstacle(layout, members, node, own);
  const [from, to] = [node, other].map((one) => directNodesOf(one).find((part) => isIpv6(part.subnet) === isIpv6(own)));
  if (lasting !== null) return { name, subnet, neighbour: null, obstacle: lasting };
  if (from === undefined || to === undefined) throw new Error('a node without an obstacle takes part');
  if (!isOnSegment(from, to)) {
    const [first, second] = [from, to]
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((one) => `${one.name} (${one.address})`);
    const reason = `${first} and ${second} are not on one segment of the LAN`;
    return { name, subnet, neighbour: null, obstacle: { reason, remedy: 'connect both to one segment' } };
  }
  return { name, subnet, neighbour: to, obstacle: downGateway(node, other) ?? silence(node, other, to.address) };
}

function downGateway(node: OverlayNode, other: OverlayNode): DirectObstacle | null {
  const down = [node, other].find(({ gateway }) => gateway?.isUp !== true);
  return down === undefined
    ? null
    : {
        reason: `the gateway of ${down.name} does not answer`,
        remedy: `look at microshift-net overlay verify on ${down.name}`,
      };
}

/**
 * Returns the obstacle if packets of one of two nodes do not arrive at the other one; null if they arrive in both
 * directions. Only packets of the address family of `address` are considered.
 */
export function silence(
  node: Pick<OverlayNode, 'name' | 'direct'>,
  other: Pick<OverlayNode, 'name' | 'direct'>,
  address: string,
): DirectObstacle | null {
  const pairs = [
    [node, other],
    [other, node],
  ] as const;
  const deaf = pairs.find(([from, to]) => to.direct?.includes(heardWord({ name: from.name, address })) !== true);
  return deaf === undefined ? null : unheard(deaf[0].name, deaf[1].name, isIpv6(address));
}

function unheard(from: string, to: string, isSix: boolean): DirectObstacle {
  return {
    reason: `no packet of ${from} arrives at ${to} without a tunnel${isSix ? ' over IPv6' : ''}: a switch between them may filter the addresses of pods, or the daemon of one of the two does not run`,
    remedy: `permit the addresses of pods at the switch, and look at systemctl status microshift-net-overlay on both nodes`,
  };
}

/**
 * Returns the nodes with which a node has direct routes. If `isDirectOnly` is true, these include nodes whose direct
 * route does not work at present, because no tunnel replaces it.
 */
export function directNeighbours(
  layout: Pick<OverlayLayout, 'naming'>,
  members: readonly OverlayNode[],
  node: OverlayNode,
  isDirectOnly = false,
): readonly DirectNode[] {
  return directPaths(layout, members, node).flatMap(({ neighbour, obstacle }) =>
    neighbour === null || (obstacle !== null && !isDirectOnly) ? [] : [neighbour],
  );
}

/**
 * Returns a sentence for each of the other nodes on the LAN (`neighbours`) whose packets do not arrive by the direct
 * route. `heard` has the nodes whose packets arrive, each by its name, with the suffix `/ipv6` for packets over IPv6.
 * `isDirectOnly` is true if no tunnel replaces the route.
 */
export function directFaults(
  neighbours: readonly DirectNode[],
  heard: readonly string[],
  isDirectOnly = false,
): readonly string[] {
  const result = isDirectOnly
    ? 'so its pods are not reached (overlay.encapsulation: never)'
    : 'so its pods are reached through one';
  return neighbours
    .filter((one) => !heard.includes(heardWord(one)))
    .map(
      ({ name, address }) =>
        `no packet of ${name} (${withoutLength(address)}) arrives without a tunnel, ${result}: the switch between the nodes may filter the addresses of pods, or the daemon of ${name} does not run`,
    );
}
