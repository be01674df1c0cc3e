import type { OverlayNode } from '../model/overlay.ts';
import type { ClusterNode, Labels } from '../model/workload.ts';
import { overBudget } from './budget.ts';
import { asksOfNode } from './unserved-asks.ts';

/** What the API server says of a node (v1 Node), as far as the overlay depends on it. Never throws. */
export function readNode(object: unknown): ClusterNode {
  const { metadata } = object as {
    readonly metadata?: { readonly name?: string; readonly uid?: string; readonly labels?: Labels } | null;
  };
  const asks = asksOfNode(metadata ?? {});
  const node = { name: metadata?.name ?? '', uid: metadata?.uid ?? '', ...(asks.length > 0 && { asks }) };
  const refusal = overBudget('Node', node, {});
  return refusal === null ? node : { ...node, refusal };
}

/** Whether pods of a member get addresses: one that is a gateway only has no subnet. */
export function givesAddresses({ subnets }: OverlayNode): boolean {
  return subnets.length > 0;
}

/** Those of the nodes of Kubernetes, by name, that have not joined the overlay, or have another name in it. */
export function nodesOutside(members: readonly OverlayNode[], names: Iterable<string>): readonly string[] {
  const joined = new Set(members.filter(givesAddresses).map(({ name }) => name));
  return [...names].filter((name) => !joined.has(name)).toSorted();
}
