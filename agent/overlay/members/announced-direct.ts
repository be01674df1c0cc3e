import { isNodeName } from '../../model/direct-node.ts';
import type { OverlayChassis, OverlayNode } from '../../model/overlay.ts';

/*
 * A member announces in `ovn-cms-options` of its own chassis that it takes part in direct routes, together with the
 * names of the nodes whose packets arrive at it by the direct route. A direct route needs the announcements of both
 * nodes, so a false announcement has an effect only on packets from and to the member itself.
 */
const prefix = 'microshift-net-direct';
/**
 * Key of SB_Global.external_ids in which the central node publishes the nodes that take part in direct routes. Members
 * read it for the flows of their bridges, and OVN's role for nodes does not let them write it (ovn-sb(5),
 * RBAC_Permission).
 */
export const directKey = 'microshift-net-direct';
/**
 * Key of SB_Global.external_ids in which the central node publishes the MTU of pods if packets between pods use direct
 * routes only. Members cannot write this key.
 */
export const podMtuKey = 'microshift-net-pod-mtu';
/**
 * Suffix after the name of a node whose packets arrive over IPv6. A name without the suffix is that of a node whose
 * packets arrive over IPv4. No name of a node contains `/`.
 */
export const ipv6Suffix = '/ipv6';
/**
 * Largest number of names that a node announces and the central node reads. A cluster has about twenty nodes, each with
 * up to two address families.
 */
const mostNames = 128;

/** Returns true for an entry of `ovn-cms-options` that concerns direct routes. */
export function isDirectEntry(entry: string): boolean {
  return entry === prefix || entry.startsWith(`${prefix}:`);
}

/**
 * Returns the entries of a node that takes part in direct routes: `microshift-net-direct`, and
 * `microshift-net-direct:n2` or `microshift-net-direct:n2/ipv6` for each node in `heard`, whose packets arrive. `heard`
 * is null for a node that does not take part, which has no entries.
 */
export function directEntries(heard: readonly string[] | null): readonly string[] {
  if (heard === null) return [];
  return [
    prefix,
    ...heard
      .toSorted()
      .slice(0, mostNames)
      .map((name) => `${prefix}:${name}`),
  ];
}

/** Reads the entries that a chassis announces. Leaves out malformed names. */
export function announcedDirect({ cmsOptions = '' }: Pick<OverlayChassis, 'cmsOptions'>): Pick<OverlayNode, 'direct'> {
  const entries = cmsOptions.split(',').filter(isDirectEntry);
  if (!entries.includes(prefix)) return {};
  const names = entries.flatMap((entry) => (entry === prefix ? [] : [entry.slice(prefix.length + 1)]));
  return { direct: names.filter(isWord).slice(0, mostNames) };
}

function isWord(text: string): boolean {
  return isNodeName(text.endsWith(ipv6Suffix) ? text.slice(0, -ipv6Suffix.length) : text);
}
