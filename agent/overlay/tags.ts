import type { DatabaseRow } from '../model/rows.ts';
import { mapOf } from './existing.ts';
import { tagKeys } from './tag-keys.ts';

export function isOwnedBy(row: DatabaseRow, owner: string): boolean {
  return mapOf(row, 'external_ids')[tagKeys.owner] === owner;
}

/** True for a row that is there for an object of Kubernetes: one of a unit of ours, or a pod's of the tool of 2017, which marked it so. */
export function isOfObject(row: DatabaseRow): boolean {
  const ids = mapOf(row, 'external_ids');
  return tagKeys.unit in ids || ids.pod === 'true';
}

/** The node that a row of ours is for; null: the cluster, or not ours. */
export function nodeTag(row: DatabaseRow, owner: string): string | null {
  return isOwnedBy(row, owner) ? (mapOf(row, 'external_ids')[tagKeys.node] ?? null) : null;
}
