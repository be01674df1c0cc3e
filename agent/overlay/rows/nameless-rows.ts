import type { WrittenAtom } from '../../model/rows.ts';
import { is, type WantedColumn } from './column-changes.ts';
import type { Draft, WantedRow } from './desired-rows.ts';
import { textOf } from './row-index.ts';

/** Desired row of a table without names, which is identified by its content. */
export interface HeldWish {
  readonly table: string;
  readonly title: string;
  readonly holder: WantedRow;
  /** Column of the holder that refers to the row. */
  readonly column: string;
  /** Columns that identify the row; '' stands for an optional column that is empty. */
  readonly key: Readonly<Record<string, WrittenAtom>>;
  readonly columns?: Readonly<Record<string, WantedColumn>>;
  readonly node?: string;
  readonly why: string;
}

/** Plans a route, NAT row, policy or ACL that its router or switch has exactly once; removes duplicates. */
export function wantHeld(draft: Draft, wish: HeldWish): WantedRow {
  const { table, title, holder, column, key, columns = {}, node, why } = wish;
  const parts = Object.entries(key);
  const [existing = null, ...again] = draft.existing
    .referred(holder.existing, column, table)
    .filter((row) => parts.every(([name, value]) => textOf(row, name) === String(value)));
  const row = draft.want({
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
  for (const same of again) draft.remove(table, same, title, 'it is there twice');
  return row;
}
