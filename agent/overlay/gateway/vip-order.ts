import type { OverlayNode, SharedAddresses } from '../../model/overlay.ts';

/** Facts from which the order of a VIP's nodes follows. */
export interface VipFacts {
  /** Nodes in the order of their numbers. */
  readonly nodes: readonly OverlayNode[];
  /** Name of the central node, which may or may not be one of `nodes`. */
  readonly centralNode: string;
  /** Name of the VIP's port on the cluster's router. */
  readonly port: string;
  /** Present priority of a node; null if it has none. */
  readonly priorityOf: (node: OverlayNode) => number | null;
  /** Last requested value of nb_cfg (ovn-nb(5), NB_Global). */
  readonly asked: number;
  /** Value of nb_cfg that was `asked` when the central node became first; null if no failure made it the first one. */
  readonly askedAtMove: number | null;
  /** Present state of shared addresses; null if it has not been read. */
  readonly state: SharedAddresses | null;
}

/** Nodes of a VIP in the order of preference, with the reason for the first one. */
export interface VipOrder {
  readonly nodes: readonly OverlayNode[];
  readonly reason: string;
  /** Value of nb_cfg after which another node has to answer before it replaces the central node; null if none. */
  readonly askedAtMove: number | null;
}

/**
 * Returns the order in which the nodes of a VIP are preferred. A node has failed if its gateway is down, or if the
 * central node's tunnels to it have failed.
 *
 * The first node stays first while it works, so that the return of another node moves no address. If the first node has
 * failed, the working node that has taken over the address becomes first. The claim on the port alone is not
 * sufficient: two nodes that work but do not reach each other both claim the port, again and again (OVN,
 * controller/binding.c).
 *
 * The central node is last, unless it has taken over the address and no other node works. If the central node has the
 * address and fails with its databases, no other node can take over the address, because ovn-controller writes to the
 * southbound database to do so. Another node therefore becomes first as soon as it works again and can take over. For
 * this, its BFD session with the central node is up at both ends, because ovn-controller claims no port before. If a
 * failure had made the central node the first one, the other node has also answered a request that was made after this
 * failure: its ovn-controller is then connected, and its flows are complete.
 */
export function vipOrder(facts: VipFacts): VipOrder {
  const { nodes, centralNode, port, priorityOf, asked, askedAtMove, state } = facts;
  const works = (node: OverlayNode): boolean =>
    node.gateway?.isUp === true && state?.unreached.includes(node.systemId) !== true;
  const hasAnswered = ({ systemId }: OverlayNode): boolean =>
    // A value above the present one is of an earlier database.
    askedAtMove === null ||
    askedAtMove > asked ||
    state?.answers === undefined ||
    (state.answers[systemId] ?? 0) > askedAtMove;
  const isBack = (node: OverlayNode): boolean =>
    works(node) && hasAnswered(node) && state?.unconfirmed.includes(node.systemId) === false;
  const others = nodes.filter(({ name }) => name !== centralNode);
  const inOrder = [...others, ...nodes.filter((one) => !others.includes(one))];
  const ranked = nodes
    .filter((one) => priorityOf(one) !== null)
    .toSorted((a, b) => (priorityOf(b) ?? 0) - (priorityOf(a) ?? 0));
  const leader = ranked[0] ?? inOrder[0];
  const holder = nodes.find(({ systemId }) => systemId === state?.holders[port]);
  const firstBy = (first: OverlayNode, reason: string, since: number | null = null): VipOrder => ({
    nodes: [first, ...inOrder.filter((one) => one !== first)],
    reason: `${first.name} first, ${reason}`,
    askedAtMove: since,
  });
  if (leader === undefined) throw new Error('a VIP has at least one node');
  if (leader.name === centralNode && others.length > 0) {
    const next = others.find((one) => one === holder && isBack(one)) ?? others.find(isBack);
    return next === undefined
      ? firstBy(leader, 'the central node, until another node works', askedAtMove)
      : firstBy(next, `because ${leader.name} is the central node`);
  }
  if (works(leader)) return firstBy(leader, ranked.length === 0 ? 'by its number' : 'which was first before');
  const isNext = holder !== undefined && holder !== leader && works(holder);
  if (isNext && (holder.name !== centralNode || !others.some(works)))
    return firstBy(
      holder,
      `which has taken over the address from ${leader.name}`,
      holder.name === centralNode ? asked : null,
    );
  return firstBy(leader, 'because no other node has taken over the address');
}
