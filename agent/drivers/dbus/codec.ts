import { parseSignature, type WireType } from 'dbus-next/lib/signature.js';
import { Variant } from 'dbus-next/lib/variant.js';
import type { Json, SettingValue } from '../../model/profile-settings.ts';

/*
 * Conversions between the values of dbus-next (Variant objects, BigInt, Buffer) and JSON. Settings keep their D-Bus
 * signatures, so that a setting that the agent does not know is sent back to NetworkManager unchanged.
 */

/**
 * Converts a value of dbus-next to JSON without signatures. Variants are unwrapped, byte arrays become hex, and 64-bit
 * integers become numbers if JavaScript can represent them exactly, otherwise text.
 */
export function toPlain(value: unknown): Json {
  return toJson(value, (variant) => toPlain(variant.value));
}

/** Converts a Variant to a pair of signature and JSON, without loss. */
export function decodeVariant(variant: unknown): SettingValue {
  if (!(variant instanceof Variant)) throw new TypeError('expected a D-Bus variant');
  return [variant.signature, toJson(variant.value, decodeVariant)];
}

/** Converts a pair of signature and JSON to a Variant. Throws if the value does not fit its signature. */
export function encodeVariant([signature, value]: SettingValue): Variant {
  const [type, ...more] = parseSignature(signature);
  if (type === undefined || more.length > 0) throw new TypeError(`${signature} is not the signature of one value`);
  return new Variant(signature, encodeValue(type, value));
}

function toJson(value: unknown, ofVariant: (variant: Variant) => Json): Json {
  if (value instanceof Variant) return ofVariant(value);
  if (typeof value === 'bigint') return decodeBigInt(value);
  if (Buffer.isBuffer(value)) return value.toString('hex');
  if (Array.isArray(value)) return value.map((item) => toJson(item, ofVariant));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item, ofVariant)]));
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function encodeValue({ type, child }: WireType, value: Json): unknown {
  switch (type) {
    case 'v':
      return encodeVariant(value as SettingValue);
    case 'x':
    case 't':
      return BigInt(value as string | number);
    case 'a':
      return encodeArray(child[0] as WireType, value);
    case '(':
      return asArray(value).map((item, position) => encodeValue(child[position] as WireType, item));
    default:
      return value;
  }
}

function encodeArray(element: WireType, value: Json): unknown {
  if (element.type === 'y') return Buffer.from(String(value), 'hex');
  if (element.type !== '{') return asArray(value).map((item) => encodeValue(element, item));
  const field = element.child[1] as WireType;
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, encodeValue(field, item)]));
}

function asArray(value: Json): readonly Json[] {
  if (!Array.isArray(value)) throw new TypeError('the value of a D-Bus array or struct must be a list');
  return value;
}

function decodeBigInt(value: bigint): Json {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
