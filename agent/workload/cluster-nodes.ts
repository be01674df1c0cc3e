import type { OverlayNode } from '../model/overlay.ts';
import type { ClusterNode, Labels } from '../model/workload.ts';
import { overBudget } from './budget.ts';
import { asksOfNode } from './unserved-requests.ts';

/** Reads the parts of a node (v1 Node) on which the overlay depends. Never throws. */
export function readNode(object: unknown): ClusterNode {
  const { metadata } = object as {
    readonly metadata?: { readonly name?: string; readonly uid?: string; readonly labels?: Labels } | null;
  };
  const asks = asksOfNode(metadata ?? {});
  const node = { name: metadata?.name ?? '', uid: metadata?.uid ?? '', ...(asks.length > 0 && { asks }) };
  const refusal = overBudget('Node', node, {});
  return refusal === null ? node : { ...node, refusal };
}

/** Returns true if pods of this member get addresses. A member that is only a gateway has no subnet. */
export function givesAddresses({ subnets }: OverlayNode): boolean {
  return subnets.length > 0;
}

/** Returns the nodes of Kubernetes that are not members of the overlay by their name, sorted. */
export function nodesOutside(members: readonly OverlayNode[], names: Iterable<string>): readonly string[] {
  const joined = new Set(members.filter(givesAddresses).map(({ name }) => name));
  return [...names].filter((name) => !joined.has(name)).toSorted();
}
