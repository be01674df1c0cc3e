import { applyDifference, elementsOf, keyOf, pairsOf } from './difference.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';
import type { Condition } from './operations.ts';
import { OvsdbError, quoteExcerpt } from './ovsdb-errors.ts';
import type { ColumnType, Schema } from './schema.ts';
import type { Atom } from './values.ts';

/** Request to copy columns and rows of a table, and to follow their changes. */
export interface TableRequest {
  /** Columns to follow; columns that the schema does not have are left out. Absent to follow all columns. */
  readonly columns?: readonly string[];
  /** Conditions; a row is followed if at least one of them is true. Absent to follow all rows. */
  readonly where?: readonly Condition[];
  /** Indexes for `find`: `column`, or `column:key` for the value of a key in a map. */
  readonly indexes?: readonly string[];
}

/**
 * Row in the form of the answer to `select`, with `_uuid` and every followed column. A row is immutable: a change
 * creates a new object, which shares the unchanged values.
 */
export type MirrorRow = JsonObject;

/** Row before and after a change. `old` is undefined for a new row, `now` for a deleted one. */
export interface RowChange {
  readonly table: string;
  readonly uuid: string;
  readonly old: MirrorRow | undefined;
  readonly now: MirrorRow | undefined;
}

/** Current rows of one table. */
export interface MirrorTable {
  readonly size: number;
  get(uuid: string): MirrorRow | undefined;
  rows(): IterableIterator<MirrorRow>;
  /**
   * Returns the rows that an index has under a value. For an index `column`, these are the rows whose column has the
   * value, or contains it in its set; for `column:key`, the rows in which the key has the value. Throws OvsdbError
   * `invalid` if the index was not requested.
   */
  find(index: string, value: Atom): readonly MirrorRow[];
  /** Returns the distinct values of an index. */
  values(index: string): Iterable<Atom>;
}

export interface Tables {
  table(name: string): MirrorTable;
  /**
   * Applies `<table-updates2>` of ovsdb-server(7) section 4.1.14. With `isWhole`, the update contains all rows, so
   * every other row is deleted.
   */
  apply(followed: Followed, updates: Json, isWhole: boolean): readonly RowChange[];
  /**
   * Applies an update like `apply`, but in steps, and returns the changes at the end. Each of the first steps examines
   * one row. One last step then changes the tables, all rows at once. If all tables were empty at the start, there are
   * several last steps instead, each of which adds one row. No other update may be applied between the steps.
   */
  applyInSteps(followed: Followed, updates: Json, isWhole: boolean): Generator<void, readonly RowChange[], undefined>;
}

interface Store extends MirrorTable {
  put(uuid: string, old: MirrorRow | undefined, now: MirrorRow | undefined): void;
  uuids(): readonly string[];
}

/** Tables and columns that are followed. */
export type Followed = Schema;

/** Returns the requested tables and columns without those that the database lacks. */
export function followedOf(schema: Schema, requests: Readonly<Record<string, TableRequest>>): Followed {
  const columnsOf = ([table, columns]: readonly [string, ReadonlyMap<string, ColumnType>]) =>
    [table, new Map([...columns].filter(([name]) => requests[table]?.columns?.includes(name) ?? true))] as const;
  return new Map([...schema].filter(([table]) => table in requests).map(columnsOf));
}

const noColumns: ReadonlyMap<string, ColumnType> = new Map();

/**
 * Returns a copy of the requested tables, which is empty until the first update. The code is pure: no clock, no I/O.
 */
export function createTables(requests: Readonly<Record<string, TableRequest>>): Tables {
  const stores = new Map(Object.entries(requests).map(([name, request]) => [name, createStore(name, request)]));
  return {
    table(name) {
      const store = stores.get(name);
      if (store === undefined) throw new OvsdbError('invalid', `table ${name} is not followed`);
      return store;
    },
    apply(followed, updates, isWhole) {
      const steps = applyInSteps(followed, updates, isWhole);
      for (;;) {
        const { done, value } = steps.next();
        if (done === true) return value;
      }
    },
    applyInSteps,
  };

  function* applyInSteps(
    followed: Followed,
    updates: Json,
    isWhole: boolean,
  ): Generator<void, readonly RowChange[], undefined> {
    const changes: RowChange[] = [];
    const wereEmpty = [...stores.values()].every(({ size }) => size === 0);
    for (const [table, store] of stores) {
      const columns = followed.get(table) ?? noColumns;
      const rows = member(updates, table);
      for (const uuid of isWhole ? store.uuids() : [])
        if (!Object.hasOwn(rows, uuid)) changes.push({ table, uuid, old: store.get(uuid), now: undefined });
      for (const uuid of Object.keys(rows)) {
        const old = store.get(uuid);
        const now = nextRow(columns, uuid, old, member(rows, uuid));
        if (!isSame(old, now)) changes.push({ table, uuid, old, now });
        yield;
      }
    }
    for (const { table, uuid, old, now } of changes) {
      stores.get(table)?.put(uuid, old, now);
      if (wereEmpty) yield;
    }
    return changes;
  }
}

/** Returns the row after a `<row-update2>`; undefined if it was deleted. */
function nextRow(
  columns: ReadonlyMap<string, ColumnType>,
  uuid: string,
  old: MirrorRow | undefined,
  update: JsonObject,
): MirrorRow | undefined {
  if ('delete' in update) return undefined;
  const changed = update.modify;
  if (changed === undefined) {
    const given = member(update, 'insert' in update ? 'insert' : 'initial');
    return makeRow(uuid, old, columns, (name, type) => given[name] ?? type.byDefault);
  }
  if (old === undefined || !isJsonObject(changed))
    throw new OvsdbError('protocol', `a change of row ${quoteExcerpt(uuid)}, which is not there`);
  return makeRow(uuid, old, columns, (name, type) => {
    const difference = changed[name];
    const before = old[name] ?? type.byDefault;
    return difference === undefined ? before : applyDifference(type, before, difference);
  });
}

function makeRow(
  uuid: string,
  old: MirrorRow | undefined,
  columns: ReadonlyMap<string, ColumnType>,
  valueIn: (name: string, type: ColumnType) => Json,
): MirrorRow {
  const row: Record<string, Json> = { _uuid: old?._uuid ?? ['uuid', uuid] };
  for (const [name, type] of columns) row[name] = valueIn(name, type);
  return row;
}

/** Index of a table's rows by the values of a column, or of a key in a map column. */
interface Index {
  readonly column: string;
  /** Key in a map column; undefined if the whole column is indexed. */
  readonly key: string | undefined;
  readonly uuids: Map<unknown, Set<string>>;
}

function createIndex(name: string): Index {
  const [column = '', key] = name.split(/:(.*)/s);
  return { column, key, uuids: new Map() };
}

function createStore(table: string, request: TableRequest): Store {
  const rows = new Map<string, MirrorRow>();
  const indexes = new Map((request.indexes ?? []).map((name) => [name, createIndex(name)]));
  const indexNamed = (name: string): Index => {
    const index = indexes.get(name);
    if (index === undefined) throw new OvsdbError('invalid', `${table} is not indexed by ${name}`);
    return index;
  };
  return {
    get size() {
      return rows.size;
    },
    get: (uuid) => rows.get(uuid),
    rows: () => rows.values(),
    uuids: () => [...rows.keys()],
    find(name, value) {
      return [...(indexNamed(name).uuids.get(keyOf(value)) ?? [])].map((uuid) => rows.get(uuid) as MirrorRow);
    },
    values: (name) => indexNamed(name).uuids.keys() as Iterable<Atom>,
    put(uuid, old, now) {
      if (now === undefined) rows.delete(uuid);
      else rows.set(uuid, now);
      for (const { column, key, uuids } of indexes.values()) {
        if (old?.[column] === now?.[column]) continue;
        const before = keysOf(old?.[column], key);
        const after = keysOf(now?.[column], key);
        for (const value of before) {
          if (after.has(value)) continue;
          const those = uuids.get(value);
          those?.delete(uuid);
          if (those?.size === 0) uuids.delete(value);
        }
        for (const value of after) {
          if (before.has(value)) continue;
          const those = uuids.get(value);
          if (those === undefined) uuids.set(value, new Set([uuid]));
          else those.add(uuid);
        }
      }
    },
  };
}

/** Returns the keys under which an index contains a row. */
function keysOf(value: Json | undefined, key: string | undefined): ReadonlySet<unknown> {
  if (value === undefined) return new Set();
  if (key === undefined) return new Set(elementsOf(value).map(keyOf));
  const pair = pairsOf(value).find(([name]) => name === key);
  return new Set(pair === undefined ? [] : [keyOf(pair[1])]);
}

/**
 * Returns the value of the member `name` of the object `value`; an empty object if `value` has no such member. Throws
 * OvsdbError `protocol` if `value` or the value of the member is not an object.
 */
function member(value: Json, name: string): JsonObject {
  if (!isJsonObject(value)) throw new OvsdbError('protocol', 'an update that is not an object');
  const found = Object.hasOwn(value, name) ? value[name] : {};
  if (isJsonObject(found)) return found;
  throw new OvsdbError('protocol', `an update whose ${quoteExcerpt(name)} is not an object`);
}

/** Returns true if two values have the same JSON. A server always writes equal values with the same JSON. */
function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (isJsonArray(one) && isJsonArray(other))
    return one.length === other.length && one.every((element, index) => isSame(element, other[index]));
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isSame(one[name], other[name]));
}
