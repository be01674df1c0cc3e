import type { ColumnChange, ColumnShape, DatabaseShape, RowChange, RowGuard, RowPlan } from '../../model/rows.ts';
import { encoded, encodedMap, referenceOf, type WireAtom, type WireValue } from './wire.ts';

type WireRow = Readonly<Record<string, WireValue>>;
type Where = readonly (readonly [string, '==' | 'includes', WireValue])[];

/** Operation of a transaction (RFC 7047 section 5.2). */
export type RowOperation =
  | { readonly op: 'insert'; readonly table: string; readonly row: WireRow; readonly 'uuid-name': string }
  | { readonly op: 'update'; readonly table: string; readonly where: Where; readonly row: WireRow }
  | {
      readonly op: 'mutate';
      readonly table: string;
      readonly where: Where;
      readonly mutations: readonly (readonly [string, 'insert' | 'delete', WireValue])[];
    }
  | { readonly op: 'delete'; readonly table: string; readonly where: Where }
  | {
      readonly op: 'wait';
      readonly table: string;
      readonly where: Where;
      readonly columns: readonly string[];
      readonly until: '==';
      readonly rows: readonly WireRow[];
      readonly timeout: 0;
    };

/**
 * Returns the operations of the OVSDB transaction that makes all changes of a plan. The transaction has no effect if a
 * condition of the plan (`guards`) does not hold any more, for example because a row has changed since it was read.
 * Maps, and sets of which a plan manages only some elements, are mutated, so that elements of other programs stay.
 * Empty for a plan without changes.
 */
export function operationsOf({ guards, changes }: RowPlan, shape: DatabaseShape): readonly RowOperation[] {
  if (changes.length === 0) return [];
  const removed = new Set(changes.flatMap((change) => (change.do === 'delete' ? [change.uuid] : [])));
  const held = partRows(changes);
  return [
    ...guards.map((guard) => guardOperation(guard, shape)),
    ...changes.flatMap((change) => changeOperations(change, shape, removed, held)),
  ];
}

function guardOperation(guard: RowGuard, shape: DatabaseShape): RowOperation {
  const { table } = guard;
  if (guard.guard === 'absent') {
    const where = Object.entries(guard.where).map(([column, value]) =>
      typeof value === 'object'
        ? ([column, 'includes', encodedMap(value)] as const)
        : ([column, '==', encoded(value, shapeOf(shape, table, column))] as const),
    );
    return { op: 'wait', table, where, columns: Object.keys(guard.where), until: '==', rows: [], timeout: 0 };
  }
  const columns = Object.entries(guard.columns).map(
    ([column, value]) => [column, encoded(value, shapeOf(shape, table, column))] as const,
  );
  const row = Object.fromEntries([['_uuid', referenceOf(guard.uuid)], ...columns]);
  return {
    op: 'wait',
    table,
    where: isRow(guard.uuid),
    columns: Object.keys(row),
    until: '==',
    rows: [row],
    timeout: 0,
  };
}

function changeOperations(
  change: RowChange,
  shape: DatabaseShape,
  removed: ReadonlySet<string>,
  held: ReturnType<typeof partRows>,
): readonly RowOperation[] {
  const { table } = change;
  if (change.do === 'insert') {
    const { name, place } = change;
    const columns = Object.entries(change.row).map(
      ([column, value]) => [column, encoded(value, shapeOf(shape, table, column))] as const,
    );
    const row = Object.fromEntries([...columns, ...(held.get(name) ?? [])]);
    const insertion: RowOperation = { op: 'insert', table, row, 'uuid-name': name };
    if (place === null || typeof place.row !== 'string') return [insertion];
    const mutations = [[place.column, 'insert', ['set', [referenceOf({ newRow: name })]]]] as const;
    return [insertion, { op: 'mutate', table: place.table, where: isRow(place.row), mutations }];
  }
  if (change.do === 'delete') {
    const { place, uuid } = change;
    if (place === null) return [{ op: 'delete', table, where: isRow(uuid) }];
    if (typeof place.row === 'string' && removed.has(place.row)) return [];
    const mutations = [[place.column, 'delete', ['set', [referenceOf(uuid)]]]] as const;
    return [{ op: 'mutate', table: place.table, where: isRow(place.row), mutations }];
  }
  return updateOperations(table, change.uuid, change.columns, shape);
}

/**
 * Returns the references from new rows to other new rows, by the referring row's name in the transaction (RFC 7047
 * section 5.2.1, uuid-name) and its column. The references are part of the insert of the referring row, because some
 * columns must not be empty (Port.interfaces).
 */
function partRows(changes: readonly RowChange[]): ReadonlyMap<string, ReadonlyMap<string, WireValue>> {
  const held = new Map<string, Map<string, ['set', WireAtom[]]>>();
  for (const change of changes) {
    if (change.do !== 'insert' || typeof change.place?.row !== 'object') continue;
    const { row, column } = change.place;
    const columns = held.get(row.newRow) ?? new Map<string, ['set', WireAtom[]]>();
    const [, rows] = columns.get(column) ?? ['set', []];
    rows.push(referenceOf({ newRow: change.name }));
    held.set(row.newRow, columns.set(column, ['set', rows]));
  }
  return held;
}

function updateOperations(
  table: string,
  uuid: string,
  columns: readonly ColumnChange[],
  shape: DatabaseShape,
): readonly RowOperation[] {
  const where = isRow(uuid);
  const replaced = columns.flatMap((change) =>
    'replace' in change
      ? [[change.column, encoded(change.replace, shapeOf(shape, table, change.column))] as const]
      : [],
  );
  const mutations = columns.flatMap((change) => mutationsOf(change, shapeOf(shape, table, change.column)));
  return [
    ...(replaced.length === 0 ? [] : [{ op: 'update', table, where, row: Object.fromEntries(replaced) } as const]),
    ...(mutations.length === 0 ? [] : [{ op: 'mutate', table, where, mutations } as const]),
  ];
}

/**
 * Returns the mutations of a column. An `insert` does not change a key that a map already has (RFC 7047 section 5.1),
 * so the key is deleted first.
 */
function mutationsOf(
  change: ColumnChange,
  shape: ColumnShape,
): readonly (readonly [string, 'insert' | 'delete', WireValue])[] {
  const { column } = change;
  if ('put' in change)
    return [
      [column, 'delete', setOfKeys(Object.keys(change.put))],
      [column, 'insert', encodedMap(change.put)],
    ];
  if ('drop' in change) return [[column, 'delete', setOfKeys(change.drop)]];
  if ('add' in change) return [[column, 'insert', encoded(change.add, shape)]];
  if ('remove' in change) return [[column, 'delete', encoded(change.remove, shape)]];
  return [];
}

function setOfKeys(keys: readonly string[]): WireValue {
  return ['set', keys];
}

function isRow(row: Parameters<typeof referenceOf>[0]): Where {
  return [['_uuid', '==', referenceOf(row)]];
}

function shapeOf(shape: DatabaseShape, table: string, column: string): ColumnShape {
  return shape[table]?.[column] ?? { kind: 'one', isReference: false };
}
