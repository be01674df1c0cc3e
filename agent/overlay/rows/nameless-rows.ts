import type { WrittenAtom } from '../../model/rows.ts';
import { type DesiredColumn, is } from './column-changes.ts';
import type { DesiredRows, PlannedRow } from './desired-rows.ts';
import { textOf } from './row-index.ts';

/** Desired row that is identified by its content, because its table has no names. */
export interface NamelessRow {
  readonly table: string;
  readonly title: string;
  readonly holder: PlannedRow;
  /** Column in which the router or switch refers to the row. */
  readonly column: string;
  /** Values that identify the row, by column; '' stands for an optional column that is empty. */
  readonly key: Readonly<Record<string, WrittenAtom>>;
  readonly columns?: Readonly<Record<string, DesiredColumn>>;
  readonly node?: string;
  readonly why: string;
}

/** Plans a route, NAT row, policy or ACL that its router or switch must have exactly once; removes duplicates. */
export function addNamelessRow(desired: DesiredRows, desiredRow: NamelessRow): PlannedRow {
  const { table, title, holder, column, key, columns = {}, node, why } = desiredRow;
  const parts = Object.entries(key);
  const [existing = null, ...again] = desired.existing
    .referred(holder.existing, column, table)
    .filter((row) => parts.every(([name, value]) => textOf(row, name) === String(value)));
  const row = desired.add({
    table,
    title,
    existing,
    columns: {
      ...Object.fromEntries(parts.filter(([, value]) => value !== '').map(([name, value]) => [name, is(value)])),
      ...columns,
    },
    place: { row: holder, column },
    exclusive: true,
    ...(node !== undefined && { node }),
    why,
  });
  for (const same of again) desired.remove(table, same, title, 'it is there twice');
  return row;
}
