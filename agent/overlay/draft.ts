import { AgentError } from '../errors.ts';
import type {
  Atom,
  ColumnShape,
  DatabaseRow,
  DatabaseRows,
  DatabaseShape,
  RowChange,
  RowGuard,
  RowPlace,
  RowReference,
  WrittenValue,
} from '../model/rows.ts';
import { withoutLength } from './addresses.ts';
import { changesOf, type WantedColumn, writtenValue } from './column-changes.ts';
import { type Existing, indexRows, listOf, textOf } from './existing.ts';
import { tagKeys } from './tag-keys.ts';
import { isOfObject } from './tags.ts';

/** A row as it shall be. */
export interface Wish {
  readonly table: string;
  readonly title: string;
  /** The row that is it already, if there is one. */
  readonly existing: DatabaseRow | null;
  /** Columns we manage; whatever is not named is nobody's business of ours. */
  readonly columns: Readonly<Record<string, WantedColumn>>;
  /** The row whose set column holds it. */
  readonly place?: { readonly row: WantedRow; readonly column: string };
  /** What no row may have when it is made, because the table has no unique index for it. */
  readonly absent?: Readonly<Record<string, Atom | Readonly<Record<string, string>>>>;
  /** It is only right beside the rows that were read: its place must be as it was when it is made. */
  readonly exclusive?: boolean;
  /** It is everybody's, so it gets no tag. */
  readonly isShared?: boolean;
  /** The node it is for; absent: the cluster. */
  readonly node?: string;
  /** The unit of a workload's rows that it is part of. */
  readonly unit?: string;
  readonly why: string;
}

/** A row that is there, or will be. */
export interface WantedRow {
  readonly table: string;
  readonly title: string;
  readonly reference: RowReference;
  readonly existing: DatabaseRow | null;
}

/** What is there. */
export interface Found {
  readonly existing: Existing;
  readonly shape: DatabaseShape;
}

/** The rows that were read, as what is there. */
export function foundIn(rows: DatabaseRows): Found {
  return { existing: indexRows(rows), shape: rows.shape };
}

/** Collects what is wanted, and turns it into changes. */
export interface Draft {
  readonly owner: string;
  readonly existing: Existing;
  readonly changes: RowChange[];
  readonly guards: RowGuard[];
  readonly trace: string[];
  /** Addresses that ports of routers have, or will have. */
  readonly takenAddresses: Set<string>;
  want(wish: Wish): WantedRow;
  /** Deletes a row that is there. */
  remove(table: string, row: DatabaseRow, title: string, why: string): void;
  /** Leaves a row as it is. */
  keep(row: DatabaseRow): void;
  /** True for a row that somebody wants, or that is deleted already. */
  isPlanned(row: DatabaseRow): boolean;
  /** Releases differ in what they have. */
  hasTable(table: string): boolean;
  hasColumn(table: string, column: string): boolean;
}

/** A draft of changes to rows that are there, in a database of this shape. `owner` is whose the rows are. */
export function createDraft({ existing, shape }: Found, owner: string): Draft {
  const [changes, guards, trace]: [RowChange[], RowGuard[], string[]] = [[], [], []];
  const planned = new Set<DatabaseRow>();
  const guarded = new Set<string>();
  const guard = (entry: RowGuard): void => {
    const key = JSON.stringify(entry);
    if (!guarded.has(key)) guards.push(entry);
    guarded.add(key);
  };
  const shapeOf = (table: string, column: string): ColumnShape | undefined => shape[table]?.[column];

  const insert = (wish: Wish, columns: Readonly<Record<string, WantedColumn>>): RowReference => {
    const { table, title, place: at, why } = wish;
    const name = `row${changes.length}`;
    if (wish.absent !== undefined) guard({ guard: 'absent', table, where: wish.absent });
    const place = at === undefined ? null : { table: at.row.table, row: at.row.reference, column: at.column };
    const holder = at?.row.existing ?? null;
    if (place !== null && holder !== null) {
      const asRead = wish.exclusive === true ? { [place.column]: listOf(holder, place.column) } : {};
      guard({ guard: 'unchanged', table: place.table, uuid: holder._uuid, columns: asRead });
    }
    const row: Record<string, WrittenValue> = {};
    for (const [column, wanted] of Object.entries(columns)) {
      const value = writtenValue(wanted, shapeOf(table, column) as ColumnShape);
      if (value !== null) row[column] = value;
    }
    changes.push({ do: 'insert', table, title, name, row, place, why });
    return { newRow: name };
  };

  const known = ({ table, columns, node, unit, isShared }: Wish): Readonly<Record<string, WantedColumn>> => {
    const tagged = {
      [tagKeys.owner]: owner,
      ...(node === undefined ? {} : { [tagKeys.node]: node }),
      ...(unit === undefined ? {} : { [tagKeys.unit]: unit }),
    };
    const tags = isShared === true ? {} : tagged;
    const own = columns.external_ids;
    const ids = own !== undefined && 'keys' in own ? { ...own, keys: { ...own.keys, ...tags } } : { keys: tags };
    return Object.fromEntries(
      Object.entries({ ...columns, external_ids: ids }).filter(([column]) => {
        const isThere = shapeOf(table, column) !== undefined;
        const line = `${table}.${column}=absent in this release, left out`;
        if (!isThere && column !== 'external_ids' && !trace.includes(line)) trace.push(line);
        return isThere;
      }),
    );
  };

  const remove: Draft['remove'] = (table, row, title, why) => {
    if (planned.has(row)) return;
    planned.add(row);
    const held = existing.holderOf(row);
    const place: RowPlace | null = held && { table: held.table, row: held.row._uuid, column: held.column };
    changes.push({ do: 'delete', table, title, uuid: row._uuid, place, why });
  };

  /** Returns the existing row if it is the wanted one. Removes a Kubernetes object's row that only has its name; rejects another program's row. */
  const adoptable = ({ table, title, existing: row, place, unit }: Wish): DatabaseRow | null => {
    if (row === null || unit !== undefined) return row;
    if (isOfObject(row)) {
      remove(table, row, title, `its name is needed for ${title} of a node`);
      return null;
    }
    const holder = existing.holderOf(row);
    if (place === undefined || holder === null) return row;
    if (holder.row === place.row.existing && holder.column === place.column) return row;
    throw new AgentError('overlay-conflict', `a row named ${title} is on ${textOf(holder.row, 'name')}`, {
      hint: `it belongs on ${place.row.title}: rename the one that is there, or delete it (ovn-nbctl)`,
      facts: { table, name: title },
    });
  };

  return {
    owner,
    existing,
    changes,
    guards,
    trace,
    takenAddresses: new Set(
      existing
        .all('Logical_Router_Port')
        .flatMap((row) => listOf(row, 'networks').map((one) => withoutLength(String(one)))),
    ),
    want: (wish) => {
      const { table, title, why } = wish;
      const row = adoptable(wish);
      const columns = known(wish);
      if (row === null) return { table, title, existing: null, reference: insert(wish, columns) };
      planned.add(row);
      const differing = Object.entries(columns).flatMap(([column, wanted]) =>
        changesOf(column, row, wanted, shapeOf(table, column) as ColumnShape),
      );
      if (differing.length > 0) {
        guard({ guard: 'unchanged', table, uuid: row._uuid, columns: {} });
        changes.push({ do: 'update', table, title, uuid: row._uuid, columns: differing, why });
      }
      return { table, title, existing: row, reference: row._uuid };
    },
    remove,
    keep: (row) => void planned.add(row),
    isPlanned: (row) => planned.has(row),
    hasTable: (table) => shape[table] !== undefined,
    hasColumn: (table, column) => shapeOf(table, column) !== undefined,
  };
}
