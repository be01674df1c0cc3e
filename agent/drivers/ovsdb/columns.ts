import { OvsdbError, quoteExcerpt } from './errors.ts';
import { describeJson } from './json.ts';
import { type Atom, encodeValue, type Value } from './values.ts';

// All readers take an absent column (undefined) as empty, because older schemas lack newer columns, and throw OvsdbError
// `protocol` when the column holds another type than asked for.

/** The elements of a set column; also of one the server sent as a bare atom. */
export function readSet(value: Value | undefined): readonly Atom[] {
  if (value === undefined) return [];
  if (value instanceof Map) throw unexpected('a set', value);
  return Array.isArray(value) ? (value as readonly Atom[]) : [value as Atom];
}

/** The element of an optional column (set of none or one), or undefined. */
export function readOptional(value: Value | undefined): Atom | undefined {
  const elements = readSet(value);
  if (elements.length > 1) throw unexpected('at most one value', value);
  return elements[0];
}

export function readString(value: Value | undefined): string | undefined {
  const atom = readOptional(value);
  if (atom === undefined || typeof atom === 'string') return atom;
  throw unexpected('a string', value);
}

/** An integer or real; throws on integers beyond 2^53, for which readOptional gives the bigint. */
export function readNumber(value: Value | undefined): number | undefined {
  const atom = readOptional(value);
  if (atom === undefined || typeof atom === 'number') return atom;
  throw unexpected('a number', value);
}

export function readBoolean(value: Value | undefined): boolean | undefined {
  const atom = readOptional(value);
  if (atom === undefined || typeof atom === 'boolean') return atom;
  throw unexpected('a boolean', value);
}

/** The uuids of a reference column, of any size. */
export function readUuids(value: Value | undefined): readonly string[] {
  return readSet(value).map((atom) => {
    if (typeof atom === 'object' && 'uuid' in atom) return atom.uuid;
    throw unexpected('references', value);
  });
}

/** A map of string to string as a plain object, such as external_ids. */
export function readStringMap(value: Value | undefined): Readonly<Record<string, string>> {
  // Without a schema an empty map and an empty set are told apart by their wire form only, and both are empty.
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return {};
  if (!(value instanceof Map)) throw unexpected('a map', value);
  const entries = [...(value as ReadonlyMap<Atom, Atom>)];
  if (entries.some(([key, item]) => typeof key !== 'string' || typeof item !== 'string')) {
    throw unexpected('a map of strings', value);
  }
  return Object.fromEntries(entries as [string, string][]);
}

function unexpected(wanted: string, value: Value | undefined): OvsdbError {
  const seen = value === undefined ? 'nothing' : quoteExcerpt(describeJson(encodeValue(value)));
  return new OvsdbError('protocol', `expected ${wanted} in the column, got ${seen}`);
}
