import type { Atom, DatabaseRow, DatabaseRows } from '../model/rows.ts';
import { tagKeys } from './tag-keys.ts';

/** Where a row that is part of another one is held. */
export interface Holder {
  readonly table: string;
  readonly row: DatabaseRow;
  readonly column: string;
}

/** The rows that are there, found by what they are. */
export interface Existing {
  all(table: string): readonly DatabaseRow[];
  named(table: string, name: string): DatabaseRow | null;
  /** Of a column that refers to rows of `table`, those rows. */
  referred(row: DatabaseRow | null, column: string, table: string): readonly DatabaseRow[];
  holderOf(row: DatabaseRow): Holder | null;
  /** The units of a workload's rows. */
  units(): Iterable<string>;
  /** The rows of a unit. */
  ofUnit(unit: string): readonly UnitRow[];
}

/** A row of a unit of a workload's rows. */
export interface UnitRow {
  readonly table: string;
  readonly row: DatabaseRow;
}

/** Columns by which a row holds others that would be gone without it (ovn-nb(5), ovs-vswitchd.conf.db(5)), with the table of those. */
export const holding: Readonly<Record<string, Readonly<Record<string, string>>>> = {
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

/** Tables of which a row is part of another one, and gone without it. */
export const heldTables: ReadonlySet<string> = new Set(
  Object.values(holding).flatMap((columns) => Object.values(columns)),
);

export function indexRows({ tables }: DatabaseRows): Existing {
  const byUuid = new Map<string, DatabaseRow>();
  const byName = new Map<string, DatabaseRow>();
  const holders = new Map<string, Holder>();
  const byUnit = new Map<string, UnitRow[]>();
  for (const [table, rows] of Object.entries(tables)) {
    for (const row of rows) {
      byUuid.set(`${table} ${row._uuid}`, row);
      const key = `${table} ${textOf(row, 'name')}`;
      if (!byName.has(key)) byName.set(key, row);
      const unit = mapOf(row, 'external_ids')[tagKeys.unit];
      if (unit !== undefined) byUnit.set(unit, [...(byUnit.get(unit) ?? []), { table, row }]);
      for (const [column, held] of Object.entries(holding[table] ?? {}))
        for (const uuid of listOf(row, column)) holders.set(`${held} ${uuid}`, { table, row, column });
    }
  }
  const tableOf = new Map(Object.entries(tables).flatMap(([table, rows]) => rows.map((row) => [row, table])));
  const found = new Map<string, readonly DatabaseRow[]>();
  const referred: Existing['referred'] = (row, column, table) => {
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
    holderOf: (row) => holders.get(`${tableOf.get(row)} ${row._uuid}`) ?? null,
    units: () => byUnit.keys(),
    ofUnit: (unit) => byUnit.get(unit) ?? [],
  };
}

/** A column of one text; empty where there is none. */
export function textOf(row: DatabaseRow | null, column: string): string {
  const value = row?.[column];
  if (Array.isArray(value)) return String(value[0] ?? '');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A set column; empty where there is none. */
export function listOf(row: DatabaseRow | null, column: string): readonly Atom[] {
  const value = row?.[column];
  if (Array.isArray(value)) return value;
  return typeof value === 'object' || value === undefined || value === '' ? [] : [value];
}

/** A map column; empty where there is none. */
export function mapOf(row: DatabaseRow | null, column: string): Readonly<Record<string, string>> {
  const value = row?.[column];
  return typeof value === 'object' && !Array.isArray(value) ? (value as Readonly<Record<string, string>>) : {};
}
