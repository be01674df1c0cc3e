import type { OvsColumn } from '../../model/tuning.ts';
import { type Mutation, mapOf, setOf } from '../ovsdb/index.ts';

/** Key in external_ids by which NetworkManager recognizes its own rows (nm-ovsdb.c). */
export const ownerKey = 'NM.connection.uuid';

/**
 * Returns the mutations that remove the `former` keys from a map column and then set these keys. A mutation `insert`
 * does not replace the value of an existing key (RFC 7047 section 5.1), so `former` has to contain every key that is
 * set and may exist already.
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
