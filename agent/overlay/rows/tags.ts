import type { DatabaseRow } from '../../model/rows.ts';
import { mapOf } from './row-index.ts';
import { tagKeys } from './tag-keys.ts';

export function isOwnedBy(row: DatabaseRow, owner: string): boolean {
  return mapOf(row, 'external_ids')[tagKeys.owner] === owner;
}

/**
 * Returns true for a row of an object of Kubernetes: a row with an object key, or a row for a pod that ovn-kubernetes
 * of 2017 has marked with `pod`.
 */
export function isOfObject(row: DatabaseRow): boolean {
  const ids = mapOf(row, 'external_ids');
  return tagKeys.unit in ids || ids.pod === 'true';
}

/** Returns the node of a row of this product; null for a row of the cluster or of another program. */
export function nodeTag(row: DatabaseRow, owner: string): string | null {
  return isOwnedBy(row, owner) ? (mapOf(row, 'external_ids')[tagKeys.node] ?? null) : null;
}
