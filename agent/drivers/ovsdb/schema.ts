import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { OvsdbError } from './ovsdb-errors.ts';

/** Type of a column (RFC 7047 section 3.2, `<type>`). */
export interface ColumnType {
  readonly isMap: boolean;
  /**
   * True if the column can have more than one element. Its changes are sent as a difference (ovsdb-server(7) section
   * 4.1.14).
   */
  readonly isComposite: boolean;
  /** Default value, which a server omits in initial contents and insertions. */
  readonly byDefault: Json;
}

/** Columns by table. */
export type Schema = ReadonlyMap<string, ReadonlyMap<string, ColumnType>>;

/** Reads the reply to get_schema (RFC 7047 section 3.2, `<database-schema>`). Throws OvsdbError `protocol`. */
export function readSchema(reply: Json): Schema {
  return mapMembers(members(reply).tables, (table) =>
    mapMembers(members(table).columns, (column) => readType(members(column).type)),
  );
}

function readType(type: Json | undefined): ColumnType {
  const written: JsonObject = isJsonObject(type) ? type : { key: type ?? null };
  const { key, value, min = 1, max = 1 } = written;
  const isMap = value !== undefined;
  const isComposite = max === 'unlimited' || (typeof max === 'number' && max > 1);
  const atom = defaultOf(key);
  const filled: Json = isMap ? ['map', [[atom, defaultOf(value)]]] : atom;
  return { isMap, isComposite, byDefault: min === 0 ? [isMap ? 'map' : 'set', []] : filled };
}

/** Returns the default of a `<base-type>` (RFC 7047 section 5.2.1). */
function defaultOf(base: Json | undefined): Json {
  const type = isJsonObject(base) ? base.type : base;
  switch (type) {
    case 'integer':
    case 'real':
      return 0;
    case 'boolean':
      return false;
    case 'uuid':
      return ['uuid', '00000000-0000-0000-0000-000000000000'];
    default:
      return '';
  }
}

function mapMembers<T>(value: Json | undefined, read: (member: Json) => T): ReadonlyMap<string, T> {
  return new Map(Object.entries(members(value)).map(([name, member]) => [name, read(member)]));
}

function members(value: Json | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  throw new OvsdbError('protocol', 'the reply to get_schema is not a schema');
}
