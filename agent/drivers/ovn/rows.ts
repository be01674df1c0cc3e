import type { ColumnShape, ColumnValue, DatabaseRow, DatabaseRows, DatabaseShape } from '../../model/rows.ts';
import { type JsonObject, type OvsdbClient, select } from '../ovsdb/index.ts';

/** Reads whole tables of a database in one transaction, as plain values; tables that its release does not have are left out. */
export async function readRows(
  client: OvsdbClient,
  database: string,
  tables: readonly string[],
): Promise<DatabaseRows> {
  const shape = await readShape(client, database);
  const there = tables.filter((table) => shape[table] !== undefined);
  const answers = await client.transact(
    database,
    there.map((table) => select(table, [], ['_uuid', ...Object.keys(shape[table] ?? {})])),
  );
  const found = there.map((table, index) => [table, rowsOf(answers[index] ?? [], shape[table] ?? {})] as const);
  return { database, shape, tables: Object.fromEntries(found) };
}

function rowsOf(rows: readonly JsonObject[], columns: Readonly<Record<string, ColumnShape>>): DatabaseRow[] {
  return rows.map((row) => {
    const values = Object.entries(columns).map(([column, shape]) => [column, plainValue(row[column], shape)] as const);
    return { ...Object.fromEntries(values), _uuid: String(atom(row._uuid)) };
  });
}

/** What a server's schema has (RFC 7047 section 4.1.2, `get_schema`). */
async function readShape(client: OvsdbClient, database: string): Promise<DatabaseShape> {
  const schema = object(await client.call('get_schema', [database]));
  const tables = Object.entries(object(schema.tables)).map(([table, value]) => {
    const columns = Object.entries(object(object(value).columns)).map(
      ([column, entry]) => [column, columnShape(object(entry).type)] as const,
    );
    return [table, Object.fromEntries(columns)] as const;
  });
  return Object.fromEntries(tables);
}

/** RFC 7047 section 3.2: `<type>` is an atomic type, or says how many keys and, in a map, values there are. */
function columnShape(type: unknown): ColumnShape {
  if (typeof type === 'string') return { kind: 'one', isReference: false };
  const { key, value, min = 1, max = 1 } = object(type);
  const isReference = typeof key === 'object' && object(key).refTable !== undefined;
  if (value !== undefined) return { kind: 'map', isReference };
  return { kind: min === 1 && max === 1 ? 'one' : 'set', isReference };
}

/** RFC 7047 section 5.1: a set of one is written as its element, whatever the column. */
function plainValue(value: unknown, { kind }: ColumnShape): ColumnValue {
  const isPair = Array.isArray(value) && value.length === 2;
  if (kind === 'map') {
    const pairs: unknown = isPair && value[0] === 'map' ? value[1] : [];
    if (!Array.isArray(pairs)) return {};
    return Object.fromEntries(pairs.map((pair: unknown) => mapEntry(pair)));
  }
  if (kind === 'one') return atom(value);
  if (isPair && value[0] === 'set') return Array.isArray(value[1]) ? value[1].map(atom) : [];
  return value === undefined ? [] : [atom(value)];
}

function mapEntry(pair: unknown): readonly [string, string] {
  const [key, value]: readonly unknown[] = Array.isArray(pair) ? pair : [];
  return [String(atom(key)), String(atom(value))];
}

function atom(value: unknown): string | number | boolean {
  if (Array.isArray(value) && value.length === 2 && (value[0] === 'uuid' || value[0] === 'named-uuid'))
    return String(value[1]);
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value ?? '');
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
