import { applyDifference, elementsOf, keyOf, pairsOf } from './difference.ts';
import { OvsdbError, quoteExcerpt } from './errors.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';
import type { Condition } from './operations.ts';
import type { ColumnType, Schema } from './schema.ts';
import type { Atom } from './values.ts';

/** What is followed of a table. */
export interface TableRequest {
  /** Those that the database's schema lacks are left out of the rows; absent: all. */
  readonly columns?: readonly string[];
  /** Only rows of which one of the conditions is true; absent: all. */
  readonly where?: readonly Condition[];
  /** By what `find` looks up rows: `column`, or `column:key` for the value that a map has under a key. */
  readonly indexes?: readonly string[];
}

/** A row as `select` gives it, with `_uuid` and every column; it never changes, a change makes a new one, in which the same values are what did not change. */
export type MirrorRow = JsonObject;

/** One row before and after: without `old` it is new, without `now` it is gone. */
export interface RowChange {
  readonly table: string;
  readonly uuid: string;
  readonly old: MirrorRow | undefined;
  readonly now: MirrorRow | undefined;
}

/** The rows of one table at this moment. */
export interface MirrorTable {
  readonly size: number;
  get(uuid: string): MirrorRow | undefined;
  rows(): IterableIterator<MirrorRow>;
  /** The rows whose column is this atom, or holds it as an element of its set; it must be one of the indexes that were asked for. */
  find(index: string, value: Atom): readonly MirrorRow[];
  /** What an index can be asked for: each value that some row has. */
  values(index: string): Iterable<Atom>;
}

export interface Tables {
  table(name: string): MirrorTable;
  /** Takes `<table-updates2>` of ovsdb-server(7) section 4.1.14; `isWhole`: it is all there is, so that what it lacks is gone. */
  apply(followed: Followed, updates: Json, isWhole: boolean): readonly RowChange[];
}

interface Store extends MirrorTable {
  put(uuid: string, old: MirrorRow | undefined, now: MirrorRow | undefined): void;
  uuids(): readonly string[];
}

/** The tables and columns that are followed. */
export type Followed = Schema;

/** What was asked for, without what the database lacks. */
export function followedOf(schema: Schema, requests: Readonly<Record<string, TableRequest>>): Followed {
  const columnsOf = ([table, columns]: readonly [string, ReadonlyMap<string, ColumnType>]) =>
    [table, new Map([...columns].filter(([name]) => requests[table]?.columns?.includes(name) ?? true))] as const;
  return new Map([...schema].filter(([table]) => table in requests).map(columnsOf));
}

const noColumns: ReadonlyMap<string, ColumnType> = new Map();

/** Empty tables. Everything here is pure: no clock, no I/O. */
export function createTables(requests: Readonly<Record<string, TableRequest>>): Tables {
  const stores = new Map(Object.entries(requests).map(([name, request]) => [name, createStore(name, request)]));
  return {
    table(name) {
      const store = stores.get(name);
      if (store === undefined) throw new OvsdbError('invalid', `table ${name} is not followed`);
      return store;
    },
    apply(followed, updates, isWhole) {
      const changes: RowChange[] = [];
      for (const [table, store] of stores) {
        const columns = followed.get(table) ?? noColumns;
        const rows = member(updates, table);
        for (const uuid of isWhole ? store.uuids() : [])
          if (!Object.hasOwn(rows, uuid)) changes.push({ table, uuid, old: store.get(uuid), now: undefined });
        for (const uuid of Object.keys(rows)) {
          const old = store.get(uuid);
          const now = nextRow(columns, uuid, old, member(rows, uuid));
          if (!isSame(old, now)) changes.push({ table, uuid, old, now });
        }
      }
      for (const { table, uuid, old, now } of changes) stores.get(table)?.put(uuid, old, now);
      return changes;
    },
  };
}

/** The row after a `<row-update2>`. */
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

/** The rows of a table by what their column, or a key of it, has. */
interface Index {
  readonly column: string;
  /** Of a map; undefined: the column itself counts. */
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

/** What a row is found by in an index. */
function keysOf(value: Json | undefined, key: string | undefined): ReadonlySet<unknown> {
  if (value === undefined) return new Set();
  if (key === undefined) return new Set(elementsOf(value).map(keyOf));
  const pair = pairsOf(value).find(([name]) => name === key);
  return new Set(pair === undefined ? [] : [keyOf(pair[1])]);
}

/** A member that must be an object; one that is not there is empty. */
function member(value: Json, name: string): JsonObject {
  if (!isJsonObject(value)) throw new OvsdbError('protocol', 'an update that is no object');
  const found = Object.hasOwn(value, name) ? value[name] : {};
  if (isJsonObject(found)) return found;
  throw new OvsdbError('protocol', `an update whose ${quoteExcerpt(name)} is no object`);
}

/** Whether two values are written alike; a server always writes one value in one way. */
function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (isJsonArray(one) && isJsonArray(other))
    return one.length === other.length && one.every((element, index) => isSame(element, other[index]));
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isSame(one[name], other[name]));
}
