import type { RowDatabase } from '../../drivers/ovn/database.ts';
import type { DatabaseRows, DatabaseShape, RowPlan } from '../../model/rows.ts';
import { operationsOf } from '../../overlay/operations.ts';
import { decodedRow, shapeOfSchema } from '../../overlay/wire.ts';

/** The tables of a database as plain rows, as of one moment; what its release does not have is left out. */
export async function readRows(database: RowDatabase, tables: readonly string[]): Promise<DatabaseRows> {
  return readShape(database, await shapeOf(database, tables));
}

/** The same of some columns only, where the others would be much. */
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

/** Makes a plan's changes as one transaction; nothing is sent where nothing differs. */
export async function carryOut(database: RowDatabase, plan: RowPlan, { shape }: DatabaseRows): Promise<void> {
  const operations = operationsOf(plan, shape);
  if (operations.length === 0) return;
  await database.transact(
    `change ${plan.changes.length} rows of ${database.name}`,
    operations as Parameters<RowDatabase['transact']>[1],
  );
}
