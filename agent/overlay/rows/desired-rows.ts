import { AgentError } from '../../errors.ts';
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
} from '../../model/rows.ts';
import { withoutLength } from '../addresses.ts';
import { changesOf, type DesiredColumn, writtenValue } from './column-changes.ts';
import { indexRows, listOf, type RowIndex, textOf } from './row-index.ts';
import { tagKeys } from './tag-keys.ts';
import { isOfObject } from './tags.ts';

/** Row that the planner wants to exist, with the columns that it manages. */
export interface DesiredRow {
  readonly table: string;
  readonly title: string;
  /** Existing row that the desired row describes; null if the row has to be inserted. */
  readonly existing: DatabaseRow | null;
  /** Managed columns; all other columns stay as they are. */
  readonly columns: Readonly<Record<string, DesiredColumn>>;
  /** Parent row, and its set column that refers to this row. Absent for a row of a root table. */
  readonly place?: { readonly row: PlannedRow; readonly column: string };
  /**
   * Values that no other row may have when this row is inserted, by column; for a table without a unique index on these
   * columns.
   */
  readonly absent?: Readonly<Record<string, Atom | Readonly<Record<string, string>>>>;
  /** True if the row may be inserted only while the set column of its parent row has the value that was read. */
  readonly exclusive?: boolean;
  /** True for a row that other programs use as well; it gets no tags of ownership. */
  readonly isShared?: boolean;
  /** Node to which the row belongs; absent if the row belongs to the cluster as a whole. */
  readonly node?: string;
  /** Key of the Kubernetes object to which the row belongs. */
  readonly objectKey?: string;
  readonly why: string;
}

/** Row that exists, or that the plan inserts. */
export interface PlannedRow {
  readonly table: string;
  readonly title: string;
  readonly reference: RowReference;
  readonly existing: DatabaseRow | null;
}

/** Content of a database before a plan changes it. */
export interface Found {
  readonly existing: RowIndex;
  readonly shape: DatabaseShape;
}

/** Returns the rows that were read from a database, with an index, and the tables and columns of the database. */
export function foundIn(rows: DatabaseRows): Found {
  return { existing: indexRows(rows), shape: rows.shape };
}

/** Collector of desired rows, which turns them into changes. */
export interface DesiredRows {
  readonly owner: string;
  readonly existing: RowIndex;
  readonly changes: RowChange[];
  readonly guards: RowGuard[];
  readonly trace: string[];
  /** Addresses that ports of routers already have, or that this plan assigns to them on the join switch. */
  readonly takenAddresses: Set<string>;
  add(desiredRow: DesiredRow): PlannedRow;
  /** Plans the deletion of an existing row. */
  remove(table: string, row: DatabaseRow, title: string, why: string): void;
  /** Marks a row so that it is neither changed nor removed as stale. */
  keep(row: DatabaseRow): void;
  /** Returns true for a row that is desired, kept, or planned for deletion. */
  isPlanned(row: DatabaseRow): boolean;
  /** Returns true if this release of the database has the table. */
  hasTable(table: string): boolean;
  hasColumn(table: string, column: string): boolean;
}

/**
 * Returns an empty collector of desired rows for a database with this content. `owner` is the tag of rows of this
 * product.
 */
export function createDesiredRows({ existing, shape }: Found, owner: string): DesiredRows {
  const [changes, guards, trace]: [RowChange[], RowGuard[], string[]] = [[], [], []];
  const planned = new Set<DatabaseRow>();
  const guarded = new Set<string>();
  const guard = (entry: RowGuard): void => {
    const key = JSON.stringify(entry);
    if (!guarded.has(key)) guards.push(entry);
    guarded.add(key);
  };
  const shapeOf = (table: string, column: string): ColumnShape | undefined => shape[table]?.[column];

  const insert = (desiredRow: DesiredRow, columns: Readonly<Record<string, DesiredColumn>>): RowReference => {
    const { table, title, place: at, why } = desiredRow;
    const name = `row${changes.length}`;
    if (desiredRow.absent !== undefined) guard({ guard: 'absent', table, where: desiredRow.absent });
    const place = at === undefined ? null : { table: at.row.table, row: at.row.reference, column: at.column };
    const holder = at?.row.existing ?? null;
    if (place !== null && holder !== null) {
      const asRead = desiredRow.exclusive === true ? { [place.column]: listOf(holder, place.column) } : {};
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

  const known = ({
    table,
    columns,
    node,
    objectKey,
    isShared,
  }: DesiredRow): Readonly<Record<string, DesiredColumn>> => {
    const tagged = {
      [tagKeys.owner]: owner,
      ...(node === undefined ? {} : { [tagKeys.node]: node }),
      ...(objectKey === undefined ? {} : { [tagKeys.unit]: objectKey }),
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

  const remove: DesiredRows['remove'] = (table, row, title, why) => {
    if (planned.has(row)) return;
    planned.add(row);
    const held = existing.parentOf(row);
    const place: RowPlace | null = held && { table: held.table, row: held.row._uuid, column: held.column };
    changes.push({ do: 'delete', table, title, uuid: row._uuid, place, why });
  };

  /**
   * Returns the existing row that becomes the desired row; null if a row has to be inserted. If the row of a Kubernetes
   * object has a name that a row of a node needs, plans its deletion. Fails with `overlay-conflict` if the existing row
   * has another parent row than the planned one.
   */
  const adoptable = ({ table, title, existing: row, place, objectKey }: DesiredRow): DatabaseRow | null => {
    if (row === null || objectKey !== undefined) return row;
    if (isOfObject(row)) {
      remove(table, row, title, `its name is needed for ${title} of a node`);
      return null;
    }
    const holder = existing.parentOf(row);
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
    add: (desiredRow) => {
      const { table, title, why } = desiredRow;
      const row = adoptable(desiredRow);
      const columns = known(desiredRow);
      if (row === null) return { table, title, existing: null, reference: insert(desiredRow, columns) };
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
