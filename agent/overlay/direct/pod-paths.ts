import { type DirectNode, encapsulationIsAlways, type PodPath } from '../../model/direct-node.ts';
import type { Encapsulation, OverlayChassis, OverlayNode } from '../../model/overlay.ts';
import { isIpv6, sameFamily } from '../addresses.ts';
import { announcedDirect } from '../members/announced-direct.ts';
import { type DirectPath, directNodesOf, silence } from './direct-nodes.ts';
import { podMtuIn } from './direct-only.ts';
import { publishedBeside } from './published-direct.ts';

/** Returns the paths to pods of other nodes as the central node knows them. */
export function podPaths(
  paths: readonly DirectPath[],
  encapsulation: Encapsulation,
  isDirectOnly: boolean,
): readonly PodPath[] {
  return paths.map(({ name, subnet, obstacle }) => {
    const reason = encapsulation === 'always' ? encapsulationIsAlways : (obstacle?.reason ?? null);
    return podPath(name, isIpv6(subnet), reason, isDirectOnly);
  });
}

/** Data of a member, from which it derives its paths to pods of other nodes. */
export interface MemberFacts {
  readonly node: OverlayNode;
  /** Nodes whose packets arrive at this node, each by its name, with the suffix `/ipv6` for packets over IPv6. */
  readonly heard: readonly string[];
  readonly encapsulation: Encapsulation;
  /** Entries of SB_Global.external_ids. */
  readonly published: Readonly<Record<string, string>>;
  readonly chassis: readonly OverlayChassis[];
}

/**
 * Returns the paths to pods of other nodes as a member knows them: from the nodes that the central node publishes, and
 * from the announcements of the other nodes. The member does not know why another node takes no part in direct routes.
 */
export function podPathsOfMember(facts: MemberFacts): readonly PodPath[] {
  const { node, heard, encapsulation, published, chassis } = facts;
  const own = directNodesOf(node);
  const beside = publishedBeside(own, published);
  const isDirectOnly = podMtuIn(published) !== null;
  const here = { ...node, direct: heard };
  const others = chassis
    .filter(({ name }) => name !== node.systemId)
    .toSorted((a, b) => (a.hostname < b.hostname ? -1 : 1));
  return others.flatMap((other) =>
    node.subnets.map((subnet) => {
      const neighbour = beside.find((one) => one.name === other.hostname && isIpv6(one.subnet) === isIpv6(subnet));
      const reason =
        encapsulation === 'always'
          ? encapsulationIsAlways
          : neighbour === undefined
            ? absence(own, subnet, other.hostname, node.name)
            : silenceOf(here, other, neighbour);
      return podPath(other.hostname, isIpv6(subnet), reason, isDirectOnly);
    }),
  );
}

function absence(own: readonly DirectNode[], subnet: string, other: string, name: string): string {
  const hasPart = sameFamily(
    own.map((one) => one.subnet),
    subnet,
  );
  if (hasPart === null) return `the gateway of ${name} permits no direct routes, or ${name} has no gateway`;
  return `${other} takes no part in direct routes on this segment; microshift-net overlay nodes, on the central node, shows the reason for each node`;
}

function silenceOf(here: OverlayNode, other: OverlayChassis, { name, address }: DirectNode): string | null {
  const there = { name, direct: announcedDirect(other).direct ?? [] };
  return silence(here, there, address)?.reason ?? null;
}

function podPath(node: string, isSix: boolean, reason: string | null, isDirectOnly: boolean): PodPath {
  const way = reason === null ? 'direct' : isDirectOnly ? 'none' : 'tunnel';
  return { node, family: isSix ? 'ipv6' : 'ipv4', way, reason };
}
