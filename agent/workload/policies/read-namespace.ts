import type { Labels, Namespace } from '../../model/workload.ts';
import { overBudget } from '../budget.ts';
import { asksOfNamespace } from '../unserved-requests.ts';

/**
 * Returns the fields of a Namespace (v1) on which the overlay depends. A namespace beyond its budget has no labels.
 * Never throws.
 */
export function readNamespace(object: unknown): Namespace {
  const { metadata } = object as {
    readonly metadata?: {
      readonly name?: string;
      readonly uid?: string;
      readonly labels?: Labels;
      readonly annotations?: Labels;
    } | null;
  };
  const asks = asksOfNamespace(metadata ?? {});
  const namespace = {
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    labels: metadata?.labels ?? {},
    ...(asks.length > 0 && { asks }),
  };
  const refusal = overBudget('Namespace', namespace, {});
  return refusal === null ? namespace : { ...namespace, labels: {}, refusal };
}
