import type { OvsColumn } from '../../model/tuning.ts';
import { type Mutation, mapOf, setOf } from '../ovsdb/index.ts';

/** Key in external_ids by which NetworkManager recognizes its own rows (nm-ovsdb.c). */
export const ownerKey = 'NM.connection.uuid';

/**
 * Returns the mutations that set these keys of a map column, and remove the `former` keys that are not among them. A
 * mutation `insert` does not replace the value of an existing key (RFC 7047 section 5.1).
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
