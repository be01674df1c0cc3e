import type { WrittenAtom } from '../model/rows.ts';
import { is, type WantedColumn } from './column-changes.ts';
import type { Draft, WantedRow } from './draft.ts';
import { textOf } from './existing.ts';

/** A row of a table without names: it is what it says. */
export interface HeldWish {
  readonly table: string;
  readonly title: string;
  readonly holder: WantedRow;
  /** Of the holder. */
  readonly column: string;
  /** What makes it this one; '' for an optional column that is empty. */
  readonly key: Readonly<Record<string, WrittenAtom>>;
  readonly columns?: Readonly<Record<string, WantedColumn>>;
  readonly node?: string;
  readonly why: string;
}

/** A route, translation, policy or access list that its router or switch shall have, once. */
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
