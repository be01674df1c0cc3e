import type { Atom, ColumnChange, ColumnShape, DatabaseRow, WrittenAtom, WrittenValue } from '../../model/rows.ts';
import { listOf, mapOf } from './row-index.ts';

/**
 * Desired content of a column: exactly this value (`is`); keys that a map must have, and keys that it must not have
 * (`keys`, `without`); elements that a set must have (`has`); or all elements that a set may have (`only`).
 */
export type DesiredColumn =
  | { readonly is: WrittenValue }
  | { readonly keys: Readonly<Record<string, string>>; readonly without?: readonly string[] }
  | { readonly has: readonly WrittenAtom[] }
  | { readonly only: readonly WrittenAtom[] };

/** Returns the desired content of a column that must have exactly this value. */
export const is = (value: WrittenValue): DesiredColumn => ({ is: value });
/** Returns the desired content of a map that must have these keys; its other keys stay. */
export const keys = (entries: Readonly<Record<string, string>>): DesiredColumn => ({ keys: entries });
/** Returns the desired content of a set that must have these elements; its other elements stay. */
export const has = (...elements: readonly WrittenAtom[]): DesiredColumn => ({ has: elements });
/**
 * Returns the desired content of a set that must have exactly these elements. Only differing elements are written, so
 * the size of the transaction grows with the difference, not with the set.
 */
export const only = (elements: readonly WrittenAtom[]): DesiredColumn => ({ only: elements });

/** Returns the value of a column in a new row; null if the column keeps the default of the database. */
export function writtenValue(wanted: DesiredColumn, { kind }: ColumnShape): WrittenValue | null {
  if ('keys' in wanted) return Object.keys(wanted.keys).length === 0 ? null : wanted.keys;
  const value = 'is' in wanted ? wanted.is : 'has' in wanted ? wanted.has : wanted.only;
  if (kind !== 'set') return value;
  const elements = elementsOf(value);
  return elements.length === 0 ? null : elements;
}

/** Returns the changes of an existing row's column; empty if the column has the desired content. */
export function changesOf(
  column: string,
  row: DatabaseRow,
  wanted: DesiredColumn,
  { kind }: ColumnShape,
): readonly ColumnChange[] {
  if ('keys' in wanted) return mapChanges(column, mapOf(row, column), wanted.keys, wanted.without ?? []);
  const before = row[column] ?? [];
  if ('has' in wanted) {
    const missing = wanted.has.filter((element) => !listOf(row, column).includes(element as Atom));
    return missing.length === 0 ? [] : [{ column, add: missing }];
  }
  if ('only' in wanted) return elementChanges(column, listOf(row, column), wanted.only);
  if (kind === 'set') {
    const elements = elementsOf(wanted.is);
    return sameSet(listOf(row, column), elements) ? [] : [{ column, replace: elements, before }];
  }
  return wanted.is === before ? [] : [{ column, replace: wanted.is, before }];
}

function mapChanges(
  column: string,
  before: Readonly<Record<string, string>>,
  entries: Readonly<Record<string, string>>,
  without: readonly string[],
): readonly ColumnChange[] {
  const put = Object.entries(entries).filter(([key, value]) => before[key] !== value);
  const drop = without.filter((key) => key in before);
  return [
    ...(put.length === 0 ? [] : [{ column, put: Object.fromEntries(put) }]),
    ...(drop.length === 0 ? [] : [{ column, drop }]),
  ];
}

function elementChanges(
  column: string,
  before: readonly Atom[],
  wanted: readonly WrittenAtom[],
): readonly ColumnChange[] {
  const [there, kept] = [new Set<WrittenAtom>(before), new Set(wanted)];
  const add = wanted.filter((element) => !there.has(element));
  const remove = before.filter((element) => !kept.has(element));
  return [...(add.length === 0 ? [] : [{ column, add }]), ...(remove.length === 0 ? [] : [{ column, remove }])];
}

function elementsOf(value: WrittenValue): readonly WrittenAtom[] {
  return Array.isArray(value) ? value : [value as WrittenAtom];
}

function sameSet(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && b.every((element) => a.includes(element));
}
