import type { ClusterNetworkPolicy } from '../../model/workload.ts';
import type { Selection } from '../policies/selections.ts';

/** Objects on which the rows of a policy depend. */
export interface Dependencies {
  readonly selections: readonly Selection[];
  readonly hasNodes: boolean;
  /**
   * True if a change of any pod or namespace may change the rows: if the policy groups namespaces, or if Pass rules
   * apply and a peer is a set of nodes or address ranges. Addresses of pods may have to be excluded from such a peer.
   */
  readonly isOfEveryPod: boolean;
}

/**
 * Returns the objects on which the rows of a policy depend. For a policy in the Admin tier, they include the objects on
 * which policies with Pass rules in this tier depend.
 */
export function dependenciesOf(policy: ClusterNetworkPolicy, all: readonly ClusterNetworkPolicy[]): Dependencies {
  const passing = policy.tier === 'Admin' ? all.filter((one) => one.tier === 'Admin' && hasPass(one)) : [];
  const peers = [policy, ...passing].flatMap(({ ingress, egress }) =>
    [...ingress, ...egress].flatMap((rule) => rule.peers),
  );
  return {
    selections: [
      ...[policy, ...passing].flatMap(({ subject }) => subject ?? []),
      ...peers.flatMap((peer) => ('pods' in peer ? [peer.pods] : [])),
    ],
    hasNodes: peers.some((peer) => 'nodes' in peer),
    isOfEveryPod: policy.groupLabel !== undefined || (passing.length > 0 && peers.some((peer) => !('pods' in peer))),
  };
}

/** Returns true if rules of later policies depend on the policy. */
export function hasPass({ tier, ingress, egress }: ClusterNetworkPolicy): boolean {
  return tier === 'Admin' && [...ingress, ...egress].some(({ action }) => action === 'Pass');
}
