// Random writes to the southbound database with a member's certificate, derived from its schema and from the rows of
// other members.
import type { Host } from './hosts.ts';

type Row = Readonly<Record<string, unknown>>;
type Table = { readonly columns: Readonly<Record<string, ColumnType>> };
interface ColumnType {
  readonly type: unknown;
  readonly mutable?: boolean;
}

/** One write, with the table and the columns that it changes. */
export interface Write {
  readonly table: string;
  readonly columns: readonly string[];
  readonly operation: unknown;
}

/** Material for writes: the schema and the rows of the database, and values that an attacker would write. */
export interface Targets {
  readonly schema: { readonly tables: Readonly<Record<string, Table>> };
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  readonly words: readonly string[];
}

/** Reads the schema and the rows of all tables with the rights of the central node. */
export function readTargets(central: Host, words: readonly string[]): Targets {
  const place = ['unix:/run/ovn/ovnsb_db.sock'];
  const schema = JSON.parse(
    central.must('ovsdb-client', 'get-schema', ...place, 'OVN_Southbound'),
  ) as Targets['schema'];
  const names = Object.keys(schema.tables);
  const selects = names.map((table) => ({ op: 'select', table, where: [] }));
  const asked = JSON.stringify(['OVN_Southbound', ...selects]);
  const answers = JSON.parse(central.must('ovsdb-client', 'transact', ...place, asked)) as { rows: readonly Row[] }[];
  return { schema, words, rows: Object.fromEntries(names.map((name, index) => [name, answers[index]?.rows ?? []])) };
}

/** Returns a random write; `random` returns a number below its limit. */
export function randomWrite({ schema, rows, words }: Targets, random: (limit: number) => number): Write {
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const named = Object.keys(schema.tables);
  // Half of the writes go to tables in which OVN's role allows some writes.
  const open = named.filter((name) => openTables.includes(name));
  const table = random(2) === 0 ? pick(open) : pick(named);
  const columns = Object.entries(schema.tables[table]?.columns ?? {});
  const value = (column: string, { type }: ColumnType): unknown => {
    // A value of another row has the right type, and belongs to another owner.
    const others = (rows[table] ?? []).map((row) => row[column]).filter((one) => one !== undefined);
    if (others.length > 0 && random(3) > 0) return pick(others);
    return invented(type, { rows, words }, pick, random);
  };
  const chosen = columns.filter(([, { mutable }]) => mutable !== false && random(3) === 0);
  const row = Object.fromEntries(
    (chosen.length > 0 ? chosen : columns.slice(0, 1)).map(([name, one]) => [name, value(name, one)]),
  );
  const victim = pick(
    rows[table]?.length ? (rows[table] ?? []) : [{ _uuid: ['uuid', '00000000-0000-4000-8000-000000000000'] }],
  );
  const where = [['_uuid', '==', victim._uuid]];
  const kind = random(10);
  if (kind < 5) return { table, columns: Object.keys(row), operation: { op: 'update', table, where, row } };
  if (kind < 6) return { table, columns: [], operation: { op: 'delete', table, where } };
  return { table, columns: Object.keys(row), operation: { op: 'insert', table, row } };
}

/** Tables that OVN's role opens (ovn-northd, RBAC), in any release. */
export const openTables: readonly string[] = [
  'Chassis',
  'Chassis_Private',
  'Encap',
  'Port_Binding',
  'MAC_Binding',
  'FDB',
  'IGMP_Group',
  'Controller_Event',
  'Service_Monitor',
  'BFD',
  'Learned_Route',
];

function invented(
  type: unknown,
  { rows, words }: Pick<Targets, 'rows' | 'words'>,
  pick: <T>(list: readonly T[]) => T,
  random: (limit: number) => number,
): unknown {
  const {
    key = type,
    value,
    min = 1,
  } = (typeof type === 'object' ? type : {}) as {
    readonly key?: unknown;
    readonly value?: unknown;
    readonly min?: number;
  };
  const atom = (of: unknown): unknown => {
    const base =
      typeof of === 'string'
        ? { type: of }
        : (of as {
            readonly type: string;
            readonly refTable?: string;
            readonly enum?: readonly [string, readonly unknown[]];
          });
    if (base.enum !== undefined) return pick(base.enum[1]);
    if (base.type === 'uuid')
      return (
        pick((rows as Record<string, readonly Row[]>)[('refTable' in base && base.refTable) || 'Chassis'] ?? [])
          ?._uuid ?? ['uuid', '00000000-0000-4000-8000-000000000000']
      );
    if (base.type === 'integer') return random(32_768);
    if (base.type === 'real') return random(100);
    return base.type === 'boolean' ? random(2) === 0 : pick(words);
  };
  if (value !== undefined) return ['map', [[atom(key), atom(value)]]];
  return min === 0 && random(4) === 0 ? ['set', []] : atom(key);
}
