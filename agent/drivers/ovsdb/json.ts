import { OvsdbError, quoteExcerpt } from './errors.ts';

/** JSON as OVSDB uses it: integers are 64 bits wide, so those JavaScript numbers cannot hold exactly are bigint. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

export type JsonObject = { readonly [key: string]: Json };

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/**
 * Parses JSON text; 64-bit integers outside the safe range come back as bigint, all other numbers as number.
 * Throws OvsdbError `protocol` when the text is not JSON.
 */
export function parseJson(text: string): Json {
  try {
    // The first 16-digit integer that needs care is 9007199254740993; almost no message contains one.
    if (!/\d{16}/.test(text)) return JSON.parse(text) as Json;
    return JSON.parse(boxLongIntegers(text), unboxLongInteger) as Json;
  } catch (error) {
    throw new OvsdbError('protocol', `not JSON: ${quoteExcerpt(text)}`, {}, error);
  }
}

/** Twin of parseJson: writes bigint as an integer. Throws TypeError on what JSON cannot carry (NaN, undefined in arrays). */
export function formatJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`JSON cannot carry ${value}`);
  if (isJsonArray(value)) return `[${value.map(formatJson).join(',')}]`;
  if (isJsonObject(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${formatJson(member)}`).join(',')}}`;
  }
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`JSON cannot carry ${typeof value}`);
  return text;
}

/** Text for a message about a value from outside; unlike formatJson it takes everything parseJson gives (1e999 is Infinity). */
export function describeJson(value: Json): string {
  return JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? item.toString() : item));
}

// Node 20 has no reviver access to the source text, so a long integer travels through JSON.parse inside an object. Strings
// stay strings, so nothing an administrator stores in a column can turn into an integer this way.
const box = '$int64';

function unboxLongInteger(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(box in value)) return value;
  const digits = value[box];
  return typeof digits === 'string' && /^-?\d{16,19}$/.test(digits) ? BigInt(digits) : value;
}

const quote = 0x22;
const backslash = 0x5c;

function boxLongIntegers(text: string): string {
  let boxed = '';
  let copiedTo = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === backslash) at++;
      else if (code === quote) inString = false;
    } else if (code === quote) {
      inString = true;
    } else if (startsNumber(code)) {
      const end = endOfNumber(text, at);
      const token = text.slice(at, end);
      if (isLongInteger(token)) {
        boxed += `${text.slice(copiedTo, at)}{"${box}":"${token}"}`;
        copiedTo = end;
      }
      at = end - 1;
    }
  }
  return boxed + text.slice(copiedTo);
}

function isLongInteger(token: string): boolean {
  return /^-?[1-9]\d{15,18}$/.test(token) && !Number.isSafeInteger(Number(token));
}

function startsNumber(code: number): boolean {
  return code === 0x2d || (code >= 0x30 && code <= 0x39);
}

function endOfNumber(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && /[\d.eE+-]/.test(text.charAt(at))) at++;
  return at;
}
