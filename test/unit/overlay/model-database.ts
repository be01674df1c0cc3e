// Simulated database: it applies the transactions of RFC 7047 to rows, with the rules that matter to a planner.
import { isDeepStrictEqual } from 'node:util';
import type { DatabaseRows, DatabaseShape } from '../../../agent/model/rows.ts';
import type { RowOperation } from '../../../agent/overlay/rows/row-operations.ts';
import { decodedRow } from '../../../agent/overlay/rows/wire.ts';

type Wire = Record<string, unknown>;

/** Root tables; rows of all other tables exist only while another row refers to them (RFC 7047 section 3.2). */
const roots = new Set([
  'NB_Global',
  'SB_Global',
  'Open_vSwitch',
  'Logical_Switch',
  'Logical_Router',
  'Load_Balancer',
  'Load_Balancer_Group',
  'Static_MAC_Binding',
  'Address_Set',
  'Port_Group',
]);

/** Tables in which names are unique. */
const unique = [
  'Logical_Switch_Port',
  'Logical_Router_Port',
  'Gateway_Chassis',
  'Load_Balancer_Group',
  'Address_Set',
  'Port_Group',
  'Bridge',
  'Port',
];

/** Columns whose references do not keep a row alive (weak references). */
const weakColumns = new Set([
  'Logical_Switch load_balancer',
  'Logical_Router load_balancer',
  'Load_Balancer_Group load_balancer',
  'Port_Group ports',
]);

function isWeak(table: string, column: string): boolean {
  return weakColumns.has(`${table} ${column}`);
}

export class ModelDatabase {
  readonly database: string;
  readonly #shape: DatabaseShape;
  #tables: Map<string, Map<string, Wire>>;
  #next = 0;

  constructor(database: string, shape: DatabaseShape) {
    this.database = database;
    this.#shape = shape;
    this.#tables = new Map(Object.keys(shape).map((table) => [table, new Map()]));
  }

  /** Returns the rows as a client reads them. */
  rows(): DatabaseRows {
    const tables = Object.fromEntries(
      [...this.#tables].map(([table, rows]) => [
        table,
        [...rows].map(([uuid, row]) =>
          decodedRow({ ...row, _uuid: ['uuid', uuid] } as never, this.#shape[table] ?? {}),
        ),
      ]),
    );
    return { database: this.database, shape: this.#shape, tables };
  }

  /** Applies all operations, or none: throws if one fails. */
  transact(operations: readonly RowOperation[]): void {
    const before = structuredClone(this.#tables);
    try {
      const names = new Map<string, string>();
      for (const operation of operations)
        if (operation.op === 'insert') names.set(operation['uuid-name'], this.#newUuid());
      for (const operation of operations) this.#run(operation, names);
      this.#collectGarbage();
      this.#check();
    } catch (error) {
      this.#tables = before;
      throw error;
    }
  }

  #newUuid(): string {
    this.#next += 1;
    return `00000000-0000-4000-8000-${String(this.#next).padStart(12, '0')}`;
  }

  #run(operation: RowOperation, names: ReadonlyMap<string, string>): void {
    const resolved = JSON.parse(
      JSON.stringify(operation).replaceAll(/\["named-uuid","([^"]+)"\]/g, (_all, name: string) => {
        const uuid = names.get(name);
        if (uuid === undefined) throw new Error(`no row is inserted as ${name}`);
        return `["uuid","${uuid}"]`;
      }),
    ) as RowOperation;
    const rows = this.#tables.get(resolved.table);
    if (rows === undefined) throw new Error(`unknown table ${resolved.table}`);
    if (resolved.op === 'insert') {
      rows.set(names.get(resolved['uuid-name']) ?? '', this.#defaults(resolved.table, resolved.row));
      return;
    }
    const chosen = [...rows].filter(([uuid, row]) =>
      resolved.where.every((entry) => this.#holds(resolved.table, uuid, row, entry)),
    );
    if (resolved.op === 'wait') {
      const seen = chosen.map(([uuid, row]) =>
        Object.fromEntries(
          resolved.columns.map((column) => [column, column === '_uuid' ? ['uuid', uuid] : row[column]]),
        ),
      );
      if (!isDeepStrictEqual(sorted(seen), sorted(resolved.rows)))
        throw new Error(`timed out: ${JSON.stringify(resolved)}`);
    } else if (resolved.op === 'delete') {
      for (const [uuid] of chosen) rows.delete(uuid);
    } else if (resolved.op === 'update') {
      for (const [, row] of chosen) Object.assign(row, this.#known(resolved.table, resolved.row));
    } else {
      for (const [, row] of chosen)
        for (const mutation of resolved.mutations) this.#mutate(resolved.table, row, mutation);
    }
  }

  #known(table: string, row: Wire): Wire {
    for (const column of Object.keys(row))
      if (this.#shape[table]?.[column] === undefined) throw new Error(`no column ${column} in ${table}`);
    return structuredClone(row);
  }

  #defaults(table: string, row: Wire): Wire {
    const empty = { one: '', set: ['set', []], map: ['map', []] };
    const columns = Object.entries(this.#shape[table] ?? {}).map(([name, { kind }]) => [name, empty[kind]]);
    return { ...Object.fromEntries(columns), ...this.#known(table, row) };
  }

  #holds(table: string, uuid: string, row: Wire, [column, test, value]: readonly [string, string, unknown]): boolean {
    if (column === '_uuid') return (value as readonly string[])[1] === uuid;
    if (this.#shape[table]?.[column] === undefined) throw new Error(`no column ${column} in ${table}`);
    if (test === '==') return isDeepStrictEqual(row[column], value);
    return elements(value).every((element) => elements(row[column]).some((other) => isDeepStrictEqual(other, element)));
  }

  #mutate(table: string, row: Wire, [column, mutator, value]: readonly [string, string, unknown]): void {
    const kind = this.#shape[table]?.[column]?.kind;
    if (kind === undefined || kind === 'one') throw new Error(`${table}.${column} cannot be mutated so`);
    const keyOf = (element: unknown): string => JSON.stringify(kind === 'map' ? (element as unknown[])[0] : element);
    const given = elements(value);
    const dropped = new Set(
      (value as readonly unknown[])[0] === 'set' && kind === 'map'
        ? given.map((key) => JSON.stringify(key))
        : given.map(keyOf),
    );
    const there = elements(row[column]);
    // `insert` does not change a key that the map already has.
    const added = given.filter((element) => !there.some((other) => keyOf(other) === keyOf(element)));
    row[column] = [
      kind,
      mutator === 'insert' ? [...there, ...added] : there.filter((element) => !dropped.has(keyOf(element))),
    ];
  }

  #references(table: string, row: Wire): readonly (readonly [column: string, uuid: string])[] {
    return Object.entries(this.#shape[table] ?? {})
      .filter(([, shape]) => shape.isReference)
      .flatMap(([column]) => elements(row[column]).map((entry) => [column, (entry as string[])[1] ?? ''] as const));
  }

  #collectGarbage(): void {
    for (;;) {
      const held = new Set<string>();
      for (const [table, rows] of this.#tables)
        for (const row of rows.values())
          for (const [column, uuid] of this.#references(table, row)) if (!isWeak(table, column)) held.add(uuid);
      const lost = [...this.#tables].flatMap(([table, rows]) =>
        roots.has(table) ? [] : [...rows.keys()].filter((uuid) => !held.has(uuid)).map((uuid) => [rows, uuid] as const),
      );
      if (lost.length === 0) break;
      for (const [rows, uuid] of lost) rows.delete(uuid);
    }
    const there = new Set([...this.#tables.values()].flatMap((rows) => [...rows.keys()]));
    for (const [table, rows] of this.#tables)
      for (const row of rows.values())
        for (const [column, uuid] of this.#references(table, row))
          if (isWeak(table, column) && !there.has(uuid))
            row[column] = ['set', elements(row[column]).filter((entry) => (entry as string[])[1] !== uuid)];
  }

  #check(): void {
    const there = new Set([...this.#tables.values()].flatMap((rows) => [...rows.keys()]));
    for (const [table, rows] of this.#tables) {
      for (const row of rows.values())
        for (const [column, uuid] of this.#references(table, row))
          if (!there.has(uuid)) throw new Error(`referential integrity: ${table}.${column}`);
      const names = [...rows.values()].map((row) => row.name);
      if (unique.includes(table) && new Set(names).size < names.length)
        throw new Error(`constraint violation: name in ${table}`);
    }
  }
}

function elements(value: unknown): readonly unknown[] {
  const isSet = Array.isArray(value) && (value[0] === 'set' || value[0] === 'map');
  return isSet ? (value[1] as readonly unknown[]) : [value];
}

/** Sorts rows or the elements of a set, because their order has no meaning. */
function sorted(rows: readonly unknown[]): readonly string[] {
  return rows
    .map((row) =>
      JSON.stringify(
        Object.entries(row as object)
          .map(([column, value]) => [
            column,
            elements(value)
              .map((element) => JSON.stringify(element))
              .toSorted(),
          ])
          .toSorted(),
      ),
    )
    .toSorted();
}
