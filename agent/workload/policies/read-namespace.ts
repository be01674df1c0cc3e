import type { Labels, Namespace } from '../../model/workload.ts';
import { overBudget } from '../budget.ts';

/** What the API server says of a namespace (v1 Namespace), as far as policies depend on it. Beyond its budget it has no labels. Never throws. */
export function readNamespace(object: unknown): Namespace {
  const { metadata } = object as {
    readonly metadata?: { readonly name?: string; readonly uid?: string; readonly labels?: Labels } | null;
  };
  const namespace = { name: metadata?.name ?? '', uid: metadata?.uid ?? '', labels: metadata?.labels ?? {} };
  const refusal = overBudget('Namespace', namespace, {});
  return refusal === null ? namespace : { ...namespace, labels: {}, refusal };
}
