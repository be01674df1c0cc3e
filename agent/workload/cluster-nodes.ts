import { fieldAt, fieldManager, listAt } from '../model/kubernetes/object.ts';
import type { OverlayNode } from '../model/overlay.ts';
import type { ClusterNode, Labels } from '../model/workload.ts';
import { overBudget } from './budget.ts';
import { publishedNames } from './published-addresses.ts';
import { asksOfNode } from './unserved-requests.ts';

/** Returns the fields of a Node (v1) on which the overlay depends. Never throws. */
export function readNode(object: unknown): ClusterNode {
  const { metadata } = object as {
    readonly metadata?: {
      readonly name?: string;
      readonly uid?: string;
      readonly labels?: Labels;
      readonly annotations?: Labels;
    } | null;
  };
  const asks = asksOfNode(metadata ?? {});
  const named = { name: metadata?.name ?? '', uid: metadata?.uid ?? '', ...(asks.length > 0 && { asks }) };
  const labels = metadata?.labels ?? {};
  const labelled = { ...named, ...(Object.keys(labels).length > 0 && { labels }) };
  const refusal = overBudget('Node', labelled, {});
  const node = refusal === null ? labelled : named;
  const names = publishedNames.filter((name) => typeof metadata?.annotations?.[name] === 'string');
  if (names.length === 0) return refusal === null ? node : { ...node, refusal };
  const published = names.map((name) => [name, (metadata?.annotations?.[name] ?? '').slice(0, mostCharacters)]);
  const own = new Set(ownAnnotations(object));
  const publishedHere = names.filter((name) => own.has(name));
  return {
    ...node,
    published: Object.fromEntries(published),
    ...(publishedHere.length > 0 && { publishedHere }),
    ...(refusal !== null && { refusal }),
  };
}

/**
 * Largest length of an annotation that is kept, in characters. A longer one is from another program, because the
 * annotations of this program are at most half as long.
 */
const mostCharacters = 4_000;

/** Returns the names of the annotations whose last writer is this program (Kubernetes, "Field Management"). */
function ownAnnotations(object: unknown): readonly string[] {
  return listAt(object, 'metadata', 'managedFields')
    .filter((entry) => fieldAt(entry, 'manager') === fieldManager)
    .flatMap((entry) => Object.keys(fieldAt(entry, 'fieldsV1', 'f:metadata', 'f:annotations') ?? {}))
    .map((field) => field.replace(/^f:/, ''));
}

/** Returns true if pods of this member get addresses. A member that is only a gateway has no subnet. */
export function givesAddresses({ subnets }: OverlayNode): boolean {
  return subnets.length > 0;
}

/** Returns the sorted names of the Kubernetes nodes whose pods get no addresses from the overlay. */
export function nodesOutside(members: readonly OverlayNode[], names: Iterable<string>): readonly string[] {
  const joined = new Set(members.filter(givesAddresses).map(({ name }) => name));
  return [...names].filter((name) => !joined.has(name)).toSorted();
}
