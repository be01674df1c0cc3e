import type { DatabaseRow } from '../../../model/rows.ts';
import { listOf, mapOf, type RowIndex } from '../../../overlay/rows/row-index.ts';
import { tagKeys } from '../../../overlay/rows/tag-keys.ts';
import type { RowUpdate } from './northbound-mirror.ts';

/**
 * Tables whose rows contain or refer to rows of many object keys. A node's switch, for example, is added and removed
 * together with the rows of its pods.
 */
const holders: ReadonlySet<string> = new Set(['Logical_Switch', 'Logical_Router', 'Load_Balancer_Group']);

/**
 * Returns true if a change can concern every object key: if it adds or removes a switch, a router, a load balancer
 * group, or a switch port without an object key. A port without an object key is not the port of a pod, and the port
 * groups of many services can refer to it.
 */
function isOfEveryObject({ table, old, now }: RowUpdate): boolean {
  if (old !== undefined && now !== undefined) return false;
  const row = old ?? now ?? null;
  return holders.has(table) || (table === 'Logical_Switch_Port' && !(tagKeys.unit in mapOf(row, 'external_ids')));
}

/**
 * Returns the object keys of changed rows, and of load balancers that were removed from a switch, a router or a group.
 * Returns `everything` if a change can concern every object key.
 */
export function touchedBy(
  changes: readonly RowUpdate[],
  existing: Pick<RowIndex, 'referred'>,
): ReadonlySet<string> | 'everything' {
  const objectKeys = new Set<string>();
  if (changes.some(isOfEveryObject)) return 'everything';
  for (const { table, old, now } of changes) {
    const off = holders.has(table) ? takenOff(old, now, existing) : [];
    for (const row of [old, now, ...off]) {
      const objectKey = mapOf(row ?? null, 'external_ids')[tagKeys.unit];
      if (objectKey !== undefined) objectKeys.add(objectKey);
    }
  }
  return objectKeys;
}

/**
 * Returns the load balancers to which the old row refers and the new row does not. A deleted load balancer is not among
 * them, because its own row change reports it.
 */
function takenOff(
  old: DatabaseRow | undefined,
  now: DatabaseRow | undefined,
  existing: Pick<RowIndex, 'referred'>,
): readonly DatabaseRow[] {
  const kept = new Set(listOf(now ?? null, 'load_balancer'));
  return existing.referred(old ?? null, 'load_balancer', 'Load_Balancer').filter(({ _uuid }) => !kept.has(_uuid));
}
