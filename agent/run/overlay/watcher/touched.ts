import type { DatabaseRow } from '../../../model/rows.ts';
import { type Existing, listOf, mapOf } from '../../../overlay/existing.ts';
import { tagKeys } from '../../../overlay/tag-keys.ts';
import type { RowUpdate } from './northbound.ts';

/** Tables of rows that hold those of units: with a node's switch its pods' rows come and go. */
const holders: ReadonlySet<string> = new Set(['Logical_Switch', 'Logical_Router', 'Load_Balancer_Group']);

/**
 * The units that rows which somebody changed are of, and those of load balancers that were taken off a switch, a router or a group. `everything`: what holds
 * rows of units is new, or gone.
 */
export function touchedBy(
  changes: readonly RowUpdate[],
  existing: Pick<Existing, 'referred'>,
): ReadonlySet<string> | 'everything' {
  const units = new Set<string>();
  for (const { table, old, now } of changes) {
    if (holders.has(table) && (old === undefined || now === undefined)) return 'everything';
    const off = holders.has(table) ? takenOff(old, now, existing) : [];
    for (const row of [old, now, ...off]) {
      const unit = mapOf(row ?? null, 'external_ids')[tagKeys.unit];
      if (unit !== undefined) units.add(unit);
    }
  }
  return units;
}

/** The load balancers that a row held before and holds no more; one that was deleted is no row any more, and told of by itself. */
function takenOff(
  old: DatabaseRow | undefined,
  now: DatabaseRow | undefined,
  existing: Pick<Existing, 'referred'>,
): readonly DatabaseRow[] {
  const kept = new Set(listOf(now ?? null, 'load_balancer'));
  return existing.referred(old ?? null, 'load_balancer', 'Load_Balancer').filter(({ _uuid }) => !kept.has(_uuid));
}
