import { isJsonArray, type Json } from './json.ts';
import { OvsdbError, quoteExcerpt } from './ovsdb-errors.ts';

/**
 * Reference to an existing row by its UUID, or to a new row by the name under which the same transaction inserts it.
 */
export type Reference = readonly ['uuid' | 'named-uuid', string];

/** Atom of RFC 7047 section 5.1 (`<atom>`). */
export type Atom = string | number | boolean | Reference;

/**
 * Value of RFC 7047 section 5.1 (`<value>`): an atom, a set or a map. An optional column is a set with at most one
 * element.
 */
export type Value = Atom | readonly ['set', readonly Atom[]] | readonly ['map', readonly (readonly [Atom, Atom])[]];

/** Row as values by column name. */
export type Row = Readonly<Record<string, Value>>;

export const uuid = (id: string): Reference => ['uuid', id];
export const namedUuid = (name: string): Reference => ['named-uuid', name];
export const setOf = (atoms: readonly Atom[]): Value => ['set', atoms];
/** Returns the map (RFC 7047 section 5.1, `<map>`) with the names and values of an object. */
export const mapOf = (entries: Readonly<Record<string, Atom>>): Value => ['map', Object.entries(entries)];

// Readers of columns. Older schemas do not have all columns, so a missing column (undefined) counts as empty. The
// readers throw OvsdbError `protocol` if the column has another type.

export function readString(column: Json | undefined): string | undefined {
  const value = readOptional(column);
  if (value === undefined || typeof value === 'string') return value;
  throw unexpected('a string', column);
}

/** Reads an optional integer. OVSDB has 64-bit integers; a value that JavaScript would round is rejected. */
export function readInteger(column: Json | undefined): number | undefined {
  const value = readOptional(column);
  if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value))) return value;
  throw unexpected('an integer', column);
}

/** Reads the UUIDs of a column that contains any number of references. */
export function readUuids(column: Json | undefined): readonly string[] {
  return readSet(column).map((item) => {
    if (isJsonArray(item) && item[0] === 'uuid' && typeof item[1] === 'string') return item[1];
    throw unexpected('references', column);
  });
}

/** Returns the texts of a column that is a set of strings. */
export function readStrings(column: Json | undefined): readonly string[] {
  return readSet(column).map((item) => {
    if (typeof item === 'string') return item;
    throw unexpected('strings', column);
  });
}

/** Reads a map of strings, such as external_ids, as an object. */
export function readStringMap(column: Json | undefined): Readonly<Record<string, string>> {
  if (column === undefined) return {};
  const pairs = isJsonArray(column) && column[0] === 'map' ? column[1] : null;
  if (!isJsonArray(pairs) || !pairs.every(isStringPair)) throw unexpected('a map of strings', column);
  return Object.fromEntries(pairs);
}

/**
 * Returns the elements of a column. A server writes a set of one element as the bare element, and only the schema shows
 * the difference.
 */
function readSet(column: Json | undefined): readonly Json[] {
  if (column === undefined) return [];
  return isJsonArray(column) && column[0] === 'set' && isJsonArray(column[1]) ? column[1] : [column];
}

function readOptional(column: Json | undefined): Json | undefined {
  const elements = readSet(column);
  if (elements.length > 1) throw unexpected('at most one value', column);
  return elements[0];
}

function isStringPair(pair: Json): pair is readonly [string, string] {
  return isJsonArray(pair) && pair.length === 2 && pair.every((item) => typeof item === 'string');
}

function unexpected(wanted: string, column: Json | undefined): OvsdbError {
  return new OvsdbError('protocol', `expected ${wanted} in the column, got ${quoteExcerpt(JSON.stringify(column))}`);
}
