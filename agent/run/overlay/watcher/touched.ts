import { mapOf } from '../../../overlay/existing.ts';
import { tagKeys } from '../../../overlay/tag-keys.ts';
import type { RowUpdate } from './northbound.ts';

/** Tables of rows that hold those of units: with a node's switch its pods' rows come and go. */
const holders: ReadonlySet<string> = new Set(['Logical_Switch', 'Logical_Router', 'Load_Balancer_Group']);

/** The units that rows which somebody changed are of. `everything`: what holds rows of units is new, or gone. */
export function touchedBy(changes: readonly RowUpdate[]): ReadonlySet<string> | 'everything' {
  const units = new Set<string>();
  for (const { table, old, now } of changes) {
    if (holders.has(table) && (old === undefined || now === undefined)) return 'everything';
    for (const row of [old, now]) {
      const unit = mapOf(row ?? null, 'external_ids')[tagKeys.unit];
      if (unit !== undefined) units.add(unit);
    }
  }
  return units;
}
