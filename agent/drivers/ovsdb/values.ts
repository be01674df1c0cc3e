import { OvsdbError, quoteExcerpt } from './errors.ts';
import { describeJson, isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';

/** A row that exists. */
export interface Uuid {
  readonly uuid: string;
}

/** A row that another operation of the same transaction inserts under this `uuidName`. */
export interface NamedUuid {
  readonly namedUuid: string;
}

/** RFC 7047 section 5.1 `<atom>`; integers beyond 2^53 are bigint. */
export type Atom = string | number | bigint | boolean | Uuid | NamedUuid;

/** `<value>`: an atom, a set (array) or a map. An optional column is a set of none or one. */
export type Value = Atom | readonly Atom[] | ReadonlyMap<Atom, Atom>;

/** Column name to value. */
export type Row = Readonly<Record<string, Value>>;

/** A map value from a plain object. */
export function mapOf(entries: Readonly<Record<string, Atom>>): ReadonlyMap<Atom, Atom> {
  return new Map<Atom, Atom>(Object.entries(entries));
}

/** The value of an optional column: present, or absent. */
export function optional(atom: Atom | undefined): readonly Atom[] {
  return atom === undefined ? [] : [atom];
}

/** Value to its wire form. Throws TypeError on what no column can hold. */
export function encodeValue(value: Value): Json {
  if (value instanceof Map) {
    return ['map', [...(value as ReadonlyMap<Atom, Atom>)].map(([key, item]) => [encodeAtom(key), encodeAtom(item)])];
  }
  if (Array.isArray(value)) return ['set', (value as readonly Atom[]).map(encodeAtom)];
  return encodeAtom(value as Atom);
}

/**
 * Twin of encodeValue. A server writes a set of one element as the bare element, and only the schema knows the difference:
 * read columns with the functions of columns.ts, which take both. Throws OvsdbError `protocol`.
 */
export function decodeValue(wire: Json): Value {
  if (isJsonArray(wire) && wire.length === 2 && isJsonArray(wire[1])) {
    if (wire[0] === 'set') return wire[1].map(decodeAtom);
    if (wire[0] === 'map') return new Map(wire[1].map(decodePair));
  }
  return decodeAtom(wire);
}

export function encodeRow(row: Row): JsonObject {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, encodeValue(value)]));
}

/** Twin of encodeRow. Throws OvsdbError `protocol`. */
export function decodeRow(wire: Json | undefined): Row {
  if (!isJsonObject(wire)) throw malformed('row', wire);
  return Object.fromEntries(Object.entries(wire).map(([column, value]) => [column, decodeValue(value)]));
}

function encodeAtom(atom: Atom): Json {
  if (typeof atom !== 'object') return encodeScalar(atom);
  if (atom !== null && 'uuid' in atom) return ['uuid', atom.uuid];
  if (atom !== null && 'namedUuid' in atom) return ['named-uuid', atom.namedUuid];
  throw new TypeError(
    'an OVSDB atom is a string, number, bigint, boolean, {uuid} or {namedUuid}; for a map use mapOf()',
  );
}

function encodeScalar(atom: string | number | bigint | boolean): Json {
  // A rounded integer would be stored as a different number without anyone noticing.
  if (typeof atom === 'number' && Number.isInteger(atom) && !Number.isSafeInteger(atom)) {
    throw new TypeError(`${atom} is beyond 2^53; pass a bigint`);
  }
  if (typeof atom === 'bigint' && BigInt.asIntN(64, atom) !== atom) throw new TypeError(`${atom} is beyond 64 bits`);
  return atom;
}

function decodeAtom(wire: Json): Atom {
  if (typeof wire === 'string' || typeof wire === 'number' || typeof wire === 'bigint' || typeof wire === 'boolean') {
    return wire;
  }
  if (isJsonArray(wire) && wire.length === 2 && typeof wire[1] === 'string') {
    if (wire[0] === 'uuid') return { uuid: wire[1] };
    if (wire[0] === 'named-uuid') return { namedUuid: wire[1] };
  }
  throw malformed('value', wire);
}

function decodePair(wire: Json): [Atom, Atom] {
  if (!isJsonArray(wire) || wire.length !== 2) throw malformed('map entry', wire);
  return [decodeAtom(wire[0] as Json), decodeAtom(wire[1] as Json)];
}

function malformed(what: string, wire: Json | undefined): OvsdbError {
  const seen = wire === undefined ? 'nothing' : quoteExcerpt(describeJson(wire));
  return new OvsdbError('protocol', `malformed ${what}: ${seen}`);
}
