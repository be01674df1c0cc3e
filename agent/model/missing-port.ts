/**
 * Membership of this node according to the central node. `removed`: the central node has no management port for this
 * node, because the node was taken out of the cluster there, or because its rows are not written yet. `not-applicable`:
 * this is the central node, or a node without pod subnets, which has no management port. `unknown`: the central node
 * could not be asked, for the reason `why`.
 */
export type Membership =
  | { readonly state: 'member' | 'removed' | 'not-applicable' }
  | { readonly state: 'unknown'; readonly why: string };

/**
 * Returns the value of a membership in JSON: true for a member, false for `removed`, null for `unknown` and
 * `not-applicable`.
 */
export function isInCluster({ state }: Membership): boolean | null {
  if (state === 'member') return true;
  return state === 'removed' ? false : null;
}

/**
 * Returns the fault of a member that has no management port on the central node, or whose membership could not be
 * checked; null if the member has no fault.
 */
export function membershipFault(node: string, membership: Membership): string | null {
  if (membership.state === 'removed') return missingPortText(node);
  if (membership.state !== 'unknown') return null;
  return `it could not be checked whether the central node still has ${node} as a member: ${membership.why}`;
}

/** Returns the fault of a member that has no management port on the central node. */
export function missingPortText(node: string): string {
  return `the central node has no port for ${node}: it was taken out of the cluster there, or its rows are not written yet`;
}

/** Returns the remedy for a member that has no management port on the central node. */
export function missingPortHint(node: string): string {
  return `look at \`microshift-net overlay nodes\` on the central node; to join again: \`microshift-net overlay leave\` here, and a new bundle of \`overlay pki issue ${node}\``;
}
