import type { OvsColumn } from '../../model/tuning.ts';
import { type Mutation, mapOf, setOf } from '../ovsdb/index.ts';

/** The external id by which NetworkManager knows a row for its own (nm-ovsdb.c). */
export const ownerKey = 'NM.connection.uuid';

/**
 * Gives a column of keys these, and takes away `former` ones that are not among them. An insert alone does not replace the value of a key that
 * is there (RFC 7047 section 5.1).
 */
export function replaceKeys(
  column: OvsColumn,
  values: Readonly<Record<string, string>>,
  former: readonly string[] = Object.keys(values),
): readonly Mutation[] {
  return [
    [column, 'delete', setOf(former)],
    [column, 'insert', mapOf(values)],
  ];
}
