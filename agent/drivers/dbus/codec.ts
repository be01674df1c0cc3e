import { Variant } from 'dbus-next/lib/variant.js';
import type { Json, SettingValue } from '../../model/settings.ts';

/*
 * Twins between what dbus-next hands out (Variant objects, BigInt, Buffer) and JSON. Settings keep their signatures, so that a
 * value this agent knows nothing about goes back to NetworkManager unchanged.
 */

/** A wire value without its signatures: variants unwrapped, byte arrays as hex, 64-bit integers as numbers while safe. */
export function toPlain(value: unknown): Json {
  if (value instanceof Variant) return toPlain(value.value);
  if (typeof value === 'bigint') return decodeBigInt(value);
  if (Buffer.isBuffer(value)) return value.toString('hex');
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlain(item)]));
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** Variant → [signature, JSON], lossless. */
export function decodeVariant(variant: unknown): SettingValue {
  if (!(variant instanceof Variant)) throw new TypeError('expected a D-Bus variant');
  return [variant.signature, decodeValue(variant.value)];
}

/** [signature, JSON] → Variant; the twin of decodeVariant. Throws TypeError when the value does not fit its signature. */
export function encodeVariant([signature, value]: SettingValue): Variant {
  return new Variant(signature, encodeValue(signature, value));
}

function decodeValue(value: unknown): Json {
  if (value instanceof Variant) return decodeVariant(value);
  if (Array.isArray(value)) return value.map(decodeValue);
  if (typeof value === 'object' && value !== null && !Buffer.isBuffer(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, decodeValue(item)]));
  }
  return toPlain(value);
}

function encodeValue(signature: string, value: Json): unknown {
  switch (signature[0]) {
    case 'v':
      return encodeVariant(value as unknown as SettingValue);
    case 'x':
    case 't':
      return BigInt(value as string | number);
    case 'a':
      return encodeArray(signature.slice(1), value);
    case '(':
      return encodeStruct(signature, value);
    default:
      return value;
  }
}

function encodeArray(element: string, value: Json): unknown {
  if (element === 'y') return Buffer.from(String(value), 'hex');
  if (!element.startsWith('{')) return asArray(value, element).map((item) => encodeValue(element, item));
  const item = element.slice(2, -1);
  return Object.fromEntries(Object.entries(value as object).map(([key, field]) => [key, encodeValue(item, field)]));
}

function encodeStruct(signature: string, value: Json): unknown {
  const members = completeTypes(signature.slice(1, -1));
  return asArray(value, signature).map((item, position) => encodeValue(members[position] ?? '', item));
}

function asArray(value: Json, signature: string): readonly Json[] {
  if (!Array.isArray(value)) throw new TypeError(`a value of signature ${signature} must be a list`);
  return value;
}

/** Splits a signature into its complete types: "sau(ii)" → s, au, (ii) (D-Bus specification, "Type system"). */
export function completeTypes(signature: string): string[] {
  const types: string[] = [];
  for (let start = 0; start < signature.length; ) {
    const end = endOfType(signature, start);
    types.push(signature.slice(start, end));
    start = end;
  }
  return types;
}

function endOfType(signature: string, start: number): number {
  const first = signature[start];
  if (first === 'a') return endOfType(signature, start + 1);
  if (first !== '(' && first !== '{') return start + 1;
  let depth = 0;
  for (let at = start; at < signature.length; at += 1) {
    if ('({'.includes(signature[at] ?? '')) depth += 1;
    else if (')}'.includes(signature[at] ?? '')) depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new TypeError(`unbalanced D-Bus signature: ${signature}`);
}

function decodeBigInt(value: bigint): Json {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
