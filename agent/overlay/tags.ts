import type { DatabaseRow } from '../model/rows.ts';
import { mapOf } from './existing.ts';
import { tagKeys } from './tag-keys.ts';

export function isOwnedBy(row: DatabaseRow, owner: string): boolean {
  return mapOf(row, 'external_ids')[tagKeys.owner] === owner;
}

/** The node that a row of ours is for; null: the cluster, or not ours. */
export function nodeTag(row: DatabaseRow, owner: string): string | null {
  return isOwnedBy(row, owner) ? (mapOf(row, 'external_ids')[tagKeys.node] ?? null) : null;
}
