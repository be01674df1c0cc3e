import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';
import { OvsdbError, quoteExcerpt } from './ovsdb-errors.ts';

/**
 * Size of the text, in bytes, at which the complete members of an unfinished array or object are parsed. Parsing that
 * much takes some milliseconds. A dump of a database has megabytes, and parsing it at once would block the event loop
 * for some hundred milliseconds.
 */
const pieceBytes = 64 * 1024;

/**
 * Greatest depth of an array or object that is parsed in pieces. The one with the rows of a table has this depth in an
 * update (RFC 7047 section 4.1.6) and in the answer to a `select`.
 */
export const deepest = 4;

/**
 * Text that replaces the already parsed members of a JSON array or object in the message; the index of that array or
 * object comes after it. No server sends this text, because it begins with a NUL, and Open vSwitch accepts no NUL in a
 * string (lib/json.c).
 */
const mark = '\0parsed ';

/** Array or object of the message whose start has arrived, and which is not parsed completely. */
interface Container {
  readonly isObject: boolean;
  /** Number of bytes before the first member that is not parsed yet. */
  ahead: number;
  /** Members of the array or object that are already parsed; null before the first one is parsed. */
  parsed: Parsed | null;
}

type Parsed = Json[] | Record<string, Json>;

/** Text of one JSON object that arrives in parts. */
export interface Pieces {
  /** Adds bytes. */
  add(part: Buffer): void;
  /**
   * Begins an array or object; `depth` is 1 for the outermost one. Its first member starts after `moreBytes` that are
   * still to be added.
   */
  open(isObject: boolean, depth: number, moreBytes: number): void;
  /**
   * Returns true if the text of the array or object at `depth` that is not parsed yet, with `moreBytes` that are still
   * to be added, is long enough to be parsed in pieces.
   */
  isLong(depth: number, moreBytes: number): boolean;
  /**
   * Parses those members of the array or object at `depth` that have arrived, and releases their text. The added bytes
   * must end with a member, without the comma that follows it. Throws OvsdbError `protocol` if the text is not JSON.
   */
  cut(depth: number): void;
  /** Returns the complete object and begins another one. Throws OvsdbError `protocol` if the text is not JSON. */
  end(): JsonObject;
}

export function createPieces(): Pieces {
  let parts: Buffer[] = [];
  let heldBytes = 0;
  let containers: Container[] = [];
  let parsed: Parsed[] = [];

  const add = (part: Buffer): void => {
    parts.push(part);
    heldBytes += part.length;
  };
  const at = (depth: number): Container => containers[depth - 1] as Container;
  return {
    add,
    open: (isObject, depth, moreBytes) => {
      containers[depth - 1] = { isObject, ahead: heldBytes + moreBytes, parsed: null };
    },
    isLong: (depth, moreBytes) => heldBytes + moreBytes - at(depth).ahead >= pieceBytes,
    cut: (depth) => {
      const container = at(depth);
      const { isObject } = container;
      const [before, after] = isObject ? '{}' : '[]';
      const text = partsFrom(parts, container.ahead);
      const members = join(
        parse([Buffer.from(before as string), ...text, Buffer.from(after as string)]),
        depth,
        parsed,
      );
      heldBytes = container.ahead;
      if (container.parsed === null) {
        const name = JSON.stringify(`${mark}${parsed.length}`);
        add(Buffer.from(isObject ? `${name}:0,` : `${name},`));
        container.parsed = isObject ? {} : [];
        parsed.push(container.parsed);
      }
      append(container.parsed, members);
      container.ahead = heldBytes;
    },
    end: () => {
      const text = parts;
      const members = parsed;
      [parts, heldBytes, containers, parsed] = [[], 0, [], []];
      // A message always starts with an opening brace, so a message that can be parsed is an object.
      return join(parse(text), 1, members) as JsonObject;
    },
  };
}

/** Removes the bytes from an offset on, and returns them. A part that contains the offset is divided. */
function partsFrom(parts: Buffer[], offset: number): readonly Buffer[] {
  let end = 0;
  const index = parts.findIndex((part) => {
    end += part.length;
    return end > offset;
  });
  const divided = parts[index];
  if (divided === undefined) return [];
  const more = parts.splice(index).slice(1);
  const length = offset - end + divided.length;
  if (length > 0) parts.push(divided.subarray(0, length));
  return [divided.subarray(length), ...more];
}

function parse(parts: readonly Buffer[]): Json {
  const bytes = Buffer.concat(parts);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch (error) {
    throw new OvsdbError('protocol', `not JSON: ${quoteExcerpt(bytes.toString('utf8', 0, 200))}`, error);
  }
}

/**
 * Returns a value in which each mark, the text that stands for parsed members, is replaced by these members. `depth` is
 * the depth of the value.
 */
function join(value: Json, depth: number, parsed: readonly Parsed[]): Json {
  if (parsed.length === 0 || depth > deepest) return value;
  if (!isJsonArray(value) && !isJsonObject(value)) return value;
  const inside = (one: Json): Json => join(one, depth + 1, parsed);
  const first = isJsonArray(value) ? value[0] : Object.keys(value)[0];
  const known =
    typeof first === 'string' && first.startsWith(mark) ? parsed[Number(first.slice(mark.length))] : undefined;
  if (isJsonArray(value)) {
    if (known === undefined) return value.map(inside);
    return append(known, value.slice(1).map(inside));
  }
  const entries = Object.entries(value).map(([name, one]) => [name, inside(one)] as const);
  if (known === undefined) return Object.fromEntries(entries);
  return append(known, Object.fromEntries(entries.slice(1)));
}

/**
 * Adds members of an array or object to those of its members that were parsed before. A name that occurs twice gets its
 * last value, as in JSON.parse.
 */
function append(parsed: Parsed, members: Json): Json {
  if (Array.isArray(parsed)) for (const one of members as readonly Json[]) parsed.push(one);
  else
    for (const [name, value] of Object.entries(members as JsonObject))
      Object.defineProperty(parsed, name, { value, configurable: true, enumerable: true, writable: true });
  return parsed as Json;
}
