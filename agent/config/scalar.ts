import type { YamlScalar } from './yaml-tree.ts';

const nulls = new Set(['', '~', 'null', 'Null', 'NULL']);
const booleans = /^(?:true|True|TRUE|false|False|FALSE)$/;
const wholeNumber = /^(?:0|-?[1-9][0-9]*)$/;
/**
 * Numbers in forms that YAML readers interpret as different numbers, or as text: 010 is 8 in YAML 1.1 and 10 in 1.2,
 * 1_400 is 1400 or text, 0o17 is text or 15. A setting must have the same meaning for every reader of the file.
 */
const doubtfulNumbers: readonly RegExp[] = [
  /^[-+]?0[xX][0-9a-fA-F_]+$/,
  /^[-+]?0[oO][0-7_]+$/,
  /^[-+]?0[bB][01_]+$/,
  /^[-+]?[0-9][0-9_]*$/,
  /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/,
  /^[-+]?\.(?:inf|Inf|INF)$/,
  /^\.(?:nan|NaN|NAN)$/,
];

/**
 * Returns the value of a scalar. A quoted scalar is text; a plain scalar is null, a boolean, a whole number or text.
 * NaN stands for a number in an ambiguous form.
 */
export function scalarValue(scalar: YamlScalar): string | number | boolean | null {
  if (!scalar.plain) return scalar.text;
  if (nulls.has(scalar.text)) return null;
  if (booleans.test(scalar.text)) return scalar.text.toLowerCase() === 'true';
  if (wholeNumber.test(scalar.text)) return Number(scalar.text);
  return doubtfulNumbers.some((form) => form.test(scalar.text)) ? Number.NaN : scalar.text;
}
