import type {
  Atom,
  ColumnShape,
  ColumnValue,
  DatabaseRow,
  DatabaseShape,
  RowReference,
  WrittenAtom,
  WrittenValue,
} from '../../model/rows.ts';

/** Atom in the notation of RFC 7047 section 5.1. */
export type WireAtom = Atom | readonly ['uuid' | 'named-uuid', string];
export type WireValue =
  | WireAtom
  | readonly ['set', readonly WireAtom[]]
  | readonly ['map', readonly (readonly [WireAtom, WireAtom])[]];

/** JSON value from a server. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Returns the columns of these tables in a schema from `get_schema` (RFC 7047 section 3.2). */
export function shapeOfSchema(schema: Json, tables: readonly string[]): DatabaseShape {
  const there = tables.flatMap((table) => {
    const columns = field(field(field(schema, 'tables'), table), 'columns');
    return columns === undefined ? [] : [[table, columnsOf(columns)] as const];
  });
  return Object.fromEntries(there);
}

function columnsOf(columns: Json): Readonly<Record<string, ColumnShape>> {
  return Object.fromEntries(
    Object.entries(columns as object).map(([name, column]) => [
      name,
      columnShape(field(column as Json, 'type') ?? null),
    ]),
  );
}

function columnShape(type: Json): ColumnShape {
  const key = field(type, 'key');
  const isReference = (field(key ?? null, 'type') ?? key) === 'uuid';
  if (field(type, 'value') !== undefined) return { kind: 'map', isReference: false };
  const isOne = (field(type, 'min') ?? 1) === 1 && (field(type, 'max') ?? 1) === 1;
  return { kind: isOne ? 'one' : 'set', isReference };
}

/**
 * Number of elements of a set or map from which a column is decoded at its first use. Decoding the backends of one
 * service can take 25 ms, and the watcher needs no backends to find the object to which a changed row belongs.
 */
const manyElements = 100;

/**
 * Decodes a row from a server. A set with one element is sent as the bare element, so only the schema distinguishes a
 * set from a single value (RFC 7047 section 5.1).
 */
export function decodedRow(
  row: Readonly<Record<string, Json>>,
  shape: Readonly<Record<string, ColumnShape>>,
): DatabaseRow {
  const columns: Record<string, ColumnValue> = {};
  for (const [column, value] of Object.entries(row)) {
    const columnShape = shape[column];
    if (column === '_uuid' || columnShape === undefined) continue;
    if ((elementsIn(value)?.length ?? 0) < manyElements) columns[column] = decoded(value, columnShape);
    else defineAtFirstUse(columns, column, () => decoded(value, columnShape));
  }
  return Object.assign(columns, { _uuid: String(bareAtom(row._uuid ?? '')) });
}

/** Defines a property whose value is computed once, when it is read for the first time. */
function defineAtFirstUse(columns: Record<string, ColumnValue>, column: string, decode: () => ColumnValue): void {
  Object.defineProperty(columns, column, {
    enumerable: true,
    configurable: true,
    get: () => {
      const value = decode();
      Object.defineProperty(columns, column, { enumerable: true, value });
      return value;
    },
  });
}

/** Returns the elements of a set, or the pairs of a map; null for any other value. */
function elementsIn(value: Json): readonly Json[] | null {
  return Array.isArray(value) && (value[0] === 'set' || value[0] === 'map') ? (value[1] as readonly Json[]) : null;
}

function decoded(value: Json, { kind }: ColumnShape): ColumnValue {
  const elements = elementsIn(value);
  if (kind === 'map') return Object.fromEntries((elements ?? []).map((pair) => (pair as Json[]).map(bareAtom)));
  if (kind === 'set') return (elements ?? [value]).map(bareAtom);
  return bareAtom(value);
}

function bareAtom(value: Json): Atom {
  return Array.isArray(value) ? String(value[1]) : (value as Atom);
}

function field(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return (value as Readonly<Record<string, Json>>)[name];
}

/** Encodes a value for a column (RFC 7047 section 5.1). */
export function encoded(value: WrittenValue | ColumnValue, { kind, isReference }: ColumnShape): WireValue {
  const atom = (one: WrittenAtom): WireAtom =>
    typeof one === 'object' || isReference ? referenceOf(one as RowReference) : one;
  if (kind === 'map') return encodedMap(value as Readonly<Record<string, string>>);
  const elements = Array.isArray(value) ? (value as readonly WrittenAtom[]) : [value as WrittenAtom];
  return kind === 'set' ? ['set', elements.map(atom)] : atom(elements[0] as WrittenAtom);
}

export function encodedMap(value: Readonly<Record<string, string>>): WireValue {
  return ['map', Object.entries(value)];
}

/**
 * Returns the reference to an existing row, or to a row that the same transaction inserts (RFC 7047 section 5.1, uuid
 * and named-uuid).
 */
export function referenceOf(row: RowReference): readonly ['uuid' | 'named-uuid', string] {
  return typeof row === 'string' ? ['uuid', row] : ['named-uuid', row.newRow];
}
