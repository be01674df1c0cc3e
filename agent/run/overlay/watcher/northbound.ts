import {
  type MirroredDatabase,
  type MirrorRequest,
  type MirrorRow,
  openMirrored,
} from '../../../drivers/ovn/mirrored.ts';
import type { DatabaseRow, DatabaseShape } from '../../../model/rows.ts';
import { type Existing, holding, listOf } from '../../../overlay/existing.ts';
import { workloadTables } from '../../../overlay/tables.ts';
import { tagKeys } from '../../../overlay/tag-keys.ts';
import { decodedRow, shapeOfSchema } from '../../../overlay/wire.ts';

const byUnit = `external_ids:${tagKeys.unit}`;

/** Of all that ask for it one writes rows for objects of Kubernetes, and the others stand by. */
const lock = 'microshift_net_nb';

/** OVN_Northbound as the planner of a workload's rows sees it, from moment to moment. */
export interface Northbound extends Pick<MirroredDatabase, 'isOwner' | 'onOwner' | 'transact' | 'close'> {
  /** What its release has. */
  readonly shape: DatabaseShape;
  /** Always the rows of now; a row that did not change is the same object. */
  readonly existing: Existing;
  /** Number of transactions that changed a row, including the transactions by which OVN reports. */
  readonly revision: number;
  /** Told of the changes of each transaction at once, without those by which OVN reports. */
  onChange(listener: (changes: readonly RowUpdate[]) => void): void;
}

/** One row before and after: without `old` it is new, without `now` it is gone. */
export interface RowUpdate {
  readonly table: string;
  readonly old: DatabaseRow | undefined;
  readonly now: DatabaseRow | undefined;
}

/** Columns in which ovn-northd tells how a row is (ovn-nb(5)). */
const reports: ReadonlySet<string> = new Set(['up', 'dynamic_addresses']);

/** Follows OVN_Northbound, and asks for the lock of who writes a workload's rows. Fails as openMirrored does. */
export async function openNorthbound(
  remote: string,
  report: MirrorRequest['report'],
  stop: AbortSignal,
): Promise<Northbound> {
  const tables = Object.fromEntries(workloadTables.map((table) => [table, indexesOf(table)]));
  const database = await openMirrored({ database: 'OVN_Northbound', remote, tables, lock, report }, stop);
  let schema: unknown;
  let shape: DatabaseShape = {};
  let revision = 0;
  database.onChange(() => {
    revision += 1;
  });
  const shapeOf = (table: string) => shapeNow()[table] ?? {};
  const decoded = new WeakMap<MirrorRow, DatabaseRow>();
  const tableOf = new WeakMap<DatabaseRow, string>();
  const read = (table: string, row: MirrorRow): DatabaseRow => {
    const before = decoded.get(row);
    if (before !== undefined) return before;
    const now = decodedRow(row as never, shapeOf(table));
    decoded.set(row, now);
    tableOf.set(now, table);
    return now;
  };
  const shapeNow = (): DatabaseShape => {
    // A server of another release can be there after a while.
    if (schema !== database.schema) shape = shapeOfSchema(database.schema as never, workloadTables);
    schema = database.schema;
    return shape;
  };
  return {
    get isOwner() {
      return database.isOwner;
    },
    get revision() {
      return revision;
    },
    get shape() {
      return shapeNow();
    },
    existing: existingIn(database, read, (row) => tableOf.get(row)),
    onChange: (listener) =>
      database.onChange((changes) => {
        const told = changes.filter(({ old, now }) => !isReport(old, now));
        const one = (table: string, row: MirrorRow | undefined) => row && read(table, row);
        if (told.length > 0)
          listener(told.map(({ table, old, now }) => ({ table, old: one(table, old), now: one(table, now) })));
      }),
    onOwner: database.onOwner,
    transact: database.transact,
    close: database.close,
  };
}

function indexesOf(table: string): readonly string[] {
  return ['name', byUnit, ...Object.keys(holding[table] ?? {})];
}

/** The tables and columns by which rows of a table are held. */
const holders = new Map<string, { readonly table: string; readonly column: string }[]>();
for (const table of workloadTables)
  for (const [column, held] of Object.entries(holding[table] ?? {}))
    holders.set(held, [...(holders.get(held) ?? []), { table, column }]);

/** Whether nothing else has changed in a row: only what did is another value in a mirror (drivers/ovsdb, tables). */
export function isReport(old: MirrorRow | undefined, now: MirrorRow | undefined): boolean {
  if (old === undefined || now === undefined) return false;
  return Object.keys(now).every((column) => reports.has(column) || old[column] === now[column]);
}

/** Rows of a mirror found by its indexes. */
function existingIn(
  { table: tableOf }: MirroredDatabase,
  read: (table: string, row: MirrorRow) => DatabaseRow,
  nameOfTable: (row: DatabaseRow) => string | undefined,
): Existing {
  return {
    all: (table) => Array.from(tableOf(table).rows(), (row) => read(table, row)),
    named: (table, name) => {
      const [row] = tableOf(table).find('name', name);
      return row === undefined ? null : read(table, row);
    },
    referred: (row, column, table) =>
      listOf(row, column).flatMap((uuid) => {
        const found = tableOf(table).get(String(uuid));
        return found === undefined ? [] : [read(table, found)];
      }),
    holderOf: (row) => {
      for (const { table, column } of holders.get(nameOfTable(row) ?? '') ?? []) {
        const [found] = tableOf(table).find(column, row._uuid);
        if (found !== undefined) return { table, row: read(table, found), column };
      }
      return null;
    },
    units: () => new Set(workloadTables.flatMap((table) => [...tableOf(table).values(byUnit)].map(String))),
    ofUnit: (unit) =>
      workloadTables.flatMap((table) =>
        tableOf(table)
          .find(byUnit, unit)
          .map((row) => ({ table, row: read(table, row) })),
      ),
  };
}
