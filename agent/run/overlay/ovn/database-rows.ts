import { type RowDatabase, selectRows } from '../../../drivers/ovn/database.ts';
import type { DatabaseRow, DatabaseRows, DatabaseShape, RowPlan } from '../../../model/rows.ts';
import { operationsOf } from '../../../overlay/rows/row-operations.ts';
import { decodedRow, shapeOfSchema } from '../../../overlay/rows/wire.ts';

/**
 * Reads tables of a database in one transaction. Leaves out tables and columns that the schema of the server does not
 * have.
 */
export async function readRows(database: RowDatabase, tables: readonly string[]): Promise<DatabaseRows> {
  return readShape(database, await shapeOf(database, tables));
}

/** Reads some columns of tables whose other columns are large. */
export async function readColumns(
  database: RowDatabase,
  columns: Readonly<Record<string, readonly string[]>>,
): Promise<DatabaseRows> {
  const shape = await shapeOf(database, Object.keys(columns));
  const wanted = Object.entries(shape).map(([table, all]) => [
    table,
    Object.fromEntries(Object.entries(all).filter(([column]) => columns[table]?.includes(column))),
  ]);
  return readShape(database, Object.fromEntries(wanted));
}

/** Reads the rows of one table that meet all conditions of `where`. Empty if the server does not have the table. */
export async function readSelected(
  database: RowDatabase,
  table: string,
  where: Parameters<typeof selectRows>[2],
  columns: readonly string[],
): Promise<readonly DatabaseRow[]> {
  const shape = (await shapeOf(database, [table]))[table];
  if (shape === undefined) return [];
  const rows = await selectRows(database, table, where, columns);
  return rows.map((row) => decodedRow(row as Parameters<typeof decodedRow>[0], shape));
}

async function shapeOf(database: RowDatabase, tables: readonly string[]): Promise<DatabaseShape> {
  return shapeOfSchema((await database.schema()) as Parameters<typeof shapeOfSchema>[0], tables);
}

async function readShape(database: RowDatabase, shape: DatabaseShape): Promise<DatabaseRows> {
  const columns = Object.fromEntries(Object.entries(shape).map(([table, one]) => [table, Object.keys(one)]));
  const found = await database.read(columns);
  const rows = Object.entries(found).map(
    ([table, list]) =>
      [table, list.map((row) => decodedRow(row as Parameters<typeof decodedRow>[0], shape[table] ?? {}))] as const,
  );
  return { database: database.name, shape, tables: Object.fromEntries(rows) };
}

/** Carries out the row changes of a plan in one transaction. Sends nothing if the plan has no changes. */
export async function carryOut(database: RowDatabase, plan: RowPlan, { shape }: DatabaseRows): Promise<void> {
  const operations = operationsOf(plan, shape);
  if (operations.length === 0) return;
  await database.transact(
    `change ${plan.changes.length} rows of ${database.name}`,
    operations as Parameters<RowDatabase['transact']>[1],
  );
}
