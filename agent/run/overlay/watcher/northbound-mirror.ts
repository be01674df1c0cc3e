import {
  type MirroredDatabase,
  type MirrorRequest,
  type MirrorRow,
  openMirrored,
} from '../../../drivers/ovn/mirrored.ts';
import type { DatabaseRow, DatabaseShape } from '../../../model/rows.ts';
import { workloadTables } from '../../../overlay/rows/overlay-tables.ts';
import { listOf, partColumns, type RowIndex } from '../../../overlay/rows/row-index.ts';
import { tagKeys } from '../../../overlay/rows/tag-keys.ts';
import { decodedRow, shapeOfSchema } from '../../../overlay/rows/wire.ts';

const byUnit = `external_ids:${tagKeys.unit}`;

/**
 * Name of the OVSDB lock (RFC 7047, section 4.1.8) whose owner writes the rows for objects of Kubernetes. Every other
 * process stands by.
 */
const lock = 'microshift_net_nb';

/**
 * Mirror in memory of the tables of OVN_Northbound that can have rows for objects of Kubernetes. These rows are planned
 * from the mirror. It follows every transaction that changes one of the tables.
 */
export interface Northbound extends Pick<MirroredDatabase, 'isOwner' | 'onOwner' | 'transact' | 'close'> {
  /** Mirrored tables, with the columns that they have in the schema of the northbound database. */
  readonly shape: DatabaseShape;
  /** Present rows. A row that has not changed is always the same JavaScript object. */
  readonly existing: RowIndex;
  /** Number of transactions that have changed a row, including those in which ovn-northd only reports a state. */
  readonly revision: number;
  /**
   * Calls the listener with the row changes of each transaction, except changes in which ovn-northd only reports a
   * state.
   */
  onChange(listener: (changes: readonly RowUpdate[]) => void): void;
}

/**
 * Row before and after a transaction, with only those columns that show to which objects it belongs. `old` is undefined
 * for a new row, and `now` for a removed one.
 */
export interface RowUpdate {
  readonly table: string;
  readonly old: DatabaseRow | undefined;
  readonly now: DatabaseRow | undefined;
}

/** Columns in which ovn-northd reports the state of a row (ovn-nb(5)). */
const reports: ReadonlySet<string> = new Set(['up', 'dynamic_addresses']);

/**
 * Mirrors OVN_Northbound and requests the lock for writing rows for objects of Kubernetes. Fails if the contents of the
 * database are not read within a minute, or if `stop` is aborted.
 */
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
    // After an update of OVN, the schema of the northbound database may be a different one.
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
        const reported = changes.filter(({ old, now }) => !isReport(old, now));
        const one = (table: string, row: MirrorRow | undefined) => row && owningColumns(row, shapeOf(table));
        if (reported.length > 0)
          listener(reported.map(({ table, old, now }) => ({ table, old: one(table, old), now: one(table, now) })));
      }),
    onOwner: database.onOwner,
    transact: database.transact,
    close: database.close,
  };
}

/**
 * Returns a row with the columns of a RowUpdate. Decoding all columns of a thousand new rows would take 20 ms in one
 * turn of the event loop; the planner decodes them later, in slices.
 */
function owningColumns({ _uuid, external_ids, load_balancer }: MirrorRow, shape: DatabaseShape[string]): DatabaseRow {
  return decodedRow({ _uuid, external_ids, load_balancer } as never, shape ?? {});
}

function indexesOf(table: string): readonly string[] {
  return ['name', byUnit, ...Object.keys(partColumns[table] ?? {})];
}

/** Tables and columns that refer to rows of a table, by the name of that table. */
const holders = new Map<string, { readonly table: string; readonly column: string }[]>();
for (const table of workloadTables)
  for (const [column, held] of Object.entries(partColumns[table] ?? {}))
    holders.set(held, [...(holders.get(held) ?? []), { table, column }]);

/**
 * Returns true if a row differs only in columns in which ovn-northd reports its state. Values are compared by identity,
 * because the mirror keeps the object of a value that has not changed (drivers/ovsdb, tables).
 */
export function isReport(old: MirrorRow | undefined, now: MirrorRow | undefined): boolean {
  if (old === undefined || now === undefined) return false;
  return Object.keys(now).every((column) => reports.has(column) || old[column] === now[column]);
}

/**
 * Returns an index of the mirrored rows for the planners. Searches by name or by reference use the mirror's own
 * indexes.
 */
function existingIn(
  { table: tableOf }: MirroredDatabase,
  read: (table: string, row: MirrorRow) => DatabaseRow,
  nameOfTable: (row: DatabaseRow) => string | undefined,
): RowIndex {
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
    parentOf: (row) => {
      for (const { table, column } of holders.get(nameOfTable(row) ?? '') ?? []) {
        const [found] = tableOf(table).find(column, row._uuid);
        if (found !== undefined) return { table, row: read(table, found), column };
      }
      return null;
    },
    objectKeys: () => new Set(workloadTables.flatMap((table) => [...tableOf(table).values(byUnit)].map(String))),
    ofObject: (objectKey) =>
      workloadTables.flatMap((table) =>
        tableOf(table)
          .find(byUnit, objectKey)
          .map((row) => ({ table, row: read(table, row) })),
      ),
  };
}
