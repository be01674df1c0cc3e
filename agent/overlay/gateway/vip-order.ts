import type { OverlayNode, SharedAddresses } from '../../model/overlay.ts';

/** Nodes of a VIP in the order of preference, with the reason for the first one. */
export interface VipOrder {
  readonly nodes: readonly OverlayNode[];
  readonly reason: string;
}

/**
 * Returns the order in which the nodes of a VIP are preferred. `nodes` are in the order of their numbers, and
 * `priorityOf` returns the priority that a node has now; null if it has none.
 *
 * The node that is first now stays first while it works, so that the return of another node moves no address. If it has
 * failed, the working node that has taken over the address becomes first. A node has failed if its gateway is down, or
 * if the central node's tunnel to it is down. The claim on the port alone is not sufficient: two nodes that work but do
 * not reach each other both claim the port, again and again (OVN, controller/binding.c).
 */
export function vipOrder(
  nodes: readonly OverlayNode[],
  port: string,
  priorityOf: (node: OverlayNode) => number | null,
  { holders, unreached }: SharedAddresses = { holders: {}, unreached: [] },
): VipOrder {
  const works = (node: OverlayNode): boolean => node.gateway?.isUp === true && !unreached.includes(node.systemId);
  const [leader] = nodes
    .filter((one) => priorityOf(one) !== null)
    .toSorted((a, b) => (priorityOf(b) ?? 0) - (priorityOf(a) ?? 0));
  const holder = nodes.find(({ systemId }) => systemId === holders[port]);
  const firstBy = (first: OverlayNode, reason: string): VipOrder => ({
    nodes: [first, ...nodes.filter((one) => one !== first)],
    reason: `${first.name} first, ${reason}`,
  });
  if (leader === undefined) return { nodes, reason: 'in the order of their numbers' };
  if (works(leader)) return firstBy(leader, 'which was first before');
  if (holder !== undefined && holder !== leader && works(holder))
    return firstBy(holder, `which has taken over the address from ${leader.name}`);
  return firstBy(leader, 'because no other node has taken over the address');
}
