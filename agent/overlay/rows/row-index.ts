import type { Atom, DatabaseRow, DatabaseRows } from '../../model/rows.ts';
import { tagKeys } from './tag-keys.ts';

/** Row of which another row is a part, such as the switch of a port, and the column that refers to the part. */
export interface ParentRow {
  readonly table: string;
  readonly row: DatabaseRow;
  readonly column: string;
}

/** Index of existing rows. */
export interface RowIndex {
  all(table: string): readonly DatabaseRow[];
  named(table: string, name: string): DatabaseRow | null;
  /** Returns the rows of `table` to which a column of `row` refers. */
  referred(row: DatabaseRow | null, column: string, table: string): readonly DatabaseRow[];
  parentOf(row: DatabaseRow): ParentRow | null;
  /** Returns the keys of the Kubernetes objects that have rows. */
  objectKeys(): Iterable<string>;
  /** Returns the rows with this object key. */
  ofObject(objectKey: string): readonly ObjectRow[];
}

/** Row of an object of Kubernetes. */
export interface ObjectRow {
  readonly table: string;
  readonly row: DatabaseRow;
}

/**
 * Columns by which a row refers to its parts, and the tables of these parts. The parts are deleted with the row
 * (ovn-nb(5), ovs-vswitchd.conf.db(5)).
 */
export const partColumns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Logical_Switch: { ports: 'Logical_Switch_Port', acls: 'ACL' },
  Logical_Router: {
    ports: 'Logical_Router_Port',
    static_routes: 'Logical_Router_Static_Route',
    policies: 'Logical_Router_Policy',
    nat: 'NAT',
  },
  Logical_Router_Port: { gateway_chassis: 'Gateway_Chassis' },
  Port_Group: { acls: 'ACL' },
  NB_Global: { connections: 'Connection', ssl: 'SSL' },
  SB_Global: { connections: 'Connection', ssl: 'SSL' },
  Open_vSwitch: { bridges: 'Bridge' },
  Bridge: { ports: 'Port' },
  Port: { interfaces: 'Interface' },
};

/** Tables whose rows are parts of other rows, and are deleted with them. */
export const partTables: ReadonlySet<string> = new Set(
  Object.values(partColumns).flatMap((columns) => Object.values(columns)),
);

export function indexRows({ tables }: DatabaseRows): RowIndex {
  const byUuid = new Map<string, DatabaseRow>();
  const byName = new Map<string, DatabaseRow>();
  const holders = new Map<string, ParentRow>();
  const byUnit = new Map<string, ObjectRow[]>();
  for (const [table, rows] of Object.entries(tables)) {
    for (const row of rows) {
      byUuid.set(`${table} ${row._uuid}`, row);
      const key = `${table} ${textOf(row, 'name')}`;
      if (!byName.has(key)) byName.set(key, row);
      const objectKey = mapOf(row, 'external_ids')[tagKeys.unit];
      if (objectKey !== undefined) byUnit.set(objectKey, [...(byUnit.get(objectKey) ?? []), { table, row }]);
      for (const [column, held] of Object.entries(partColumns[table] ?? {}))
        for (const uuid of listOf(row, column)) holders.set(`${held} ${uuid}`, { table, row, column });
    }
  }
  const tableOf = new Map(Object.entries(tables).flatMap(([table, rows]) => rows.map((row) => [row, table])));
  const found = new Map<string, readonly DatabaseRow[]>();
  const referred: RowIndex['referred'] = (row, column, table) => {
    const key = `${row?._uuid} ${column}`;
    const before = found.get(key);
    if (before !== undefined) return before;
    const rows = listOf(row, column).flatMap((uuid) => byUuid.get(`${table} ${uuid}`) ?? []);
    found.set(key, rows);
    return rows;
  };
  return {
    all: (table) => tables[table] ?? [],
    named: (table, name) => byName.get(`${table} ${name}`) ?? null,
    referred,
    parentOf: (row) => holders.get(`${tableOf.get(row)} ${row._uuid}`) ?? null,
    objectKeys: () => byUnit.keys(),
    ofObject: (objectKey) => byUnit.get(objectKey) ?? [],
  };
}

/**
 * Returns the value of a column as text: a string, a number, or the first element of a set. Empty if the column is
 * empty or has another type, or if the row is null.
 */
export function textOf(row: DatabaseRow | null, column: string): string {
  const value = row?.[column];
  if (Array.isArray(value)) return String(value[0] ?? '');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Returns the elements of a set column; empty if the column is empty or the row is null. */
export function listOf(row: DatabaseRow | null, column: string): readonly Atom[] {
  const value = row?.[column];
  if (Array.isArray(value)) return value;
  return typeof value === 'object' || value === undefined || value === '' ? [] : [value];
}

/** Returns the entries of a map column; empty if the column is empty or the row is null. */
export function mapOf(row: DatabaseRow | null, column: string): Readonly<Record<string, string>> {
  const value = row?.[column];
  return typeof value === 'object' && !Array.isArray(value) ? (value as Readonly<Record<string, string>>) : {};
}
