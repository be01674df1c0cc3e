import type { Labels, Namespace } from '../../model/workload.ts';

/** What the API server says of a namespace (v1 Namespace), as far as policies depend on it. Never throws. */
export function readNamespace(object: unknown): Namespace {
  const { metadata } = object as {
    readonly metadata?: { readonly name?: string; readonly uid?: string; readonly labels?: Labels } | null;
  };
  return { name: metadata?.name ?? '', uid: metadata?.uid ?? '', labels: metadata?.labels ?? {} };
}
