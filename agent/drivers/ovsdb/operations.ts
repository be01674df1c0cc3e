import type { Row, Value } from './values.ts';

/** Condition of RFC 7047 section 5.1 (`<condition>`). `includes` and `excludes` compare elements of a set or map. */
export type Condition = readonly [
  column: string,
  test: '==' | '!=' | '<' | '<=' | '>' | '>=' | 'includes' | 'excludes',
  value: Value,
];

/**
 * Mutation of RFC 7047 section 5.1 (`<mutation>`). `insert` and `delete` apply to sets and maps, all others to numbers.
 */
export type Mutation = readonly [
  column: string,
  mutator: '+=' | '-=' | '*=' | '/=' | '%=' | 'insert' | 'delete',
  value: Value,
];

/** Conditions that must all hold; an empty list selects every row. */
type Where = readonly Condition[];

/** Operation `wait` of RFC 7047 section 5.2.6; `timeout` is in milliseconds. */
type Wait = {
  readonly op: 'wait';
  readonly table: string;
  readonly where: Where;
  readonly columns: readonly string[];
  readonly until: '==' | '!=';
  readonly rows: readonly Row[];
  readonly timeout: number;
};

/** Operations of RFC 7047 section 5.2 that this client uses. */
export type Operation =
  | { readonly op: 'insert'; readonly table: string; readonly row: Row; readonly 'uuid-name': string }
  | { readonly op: 'select'; readonly table: string; readonly where: Where; readonly columns: readonly string[] }
  | { readonly op: 'mutate'; readonly table: string; readonly where: Where; readonly mutations: readonly Mutation[] }
  | { readonly op: 'update'; readonly table: string; readonly where: Where; readonly row: Row }
  | { readonly op: 'delete'; readonly table: string; readonly where: Where }
  | { readonly op: 'assert'; readonly lock: string }
  | Wait;

/**
 * Returns the operation `insert` (RFC 7047 section 5.2.1). Other operations of the transaction can refer to the row by
 * `namedUuid(uuidName)`.
 */
export function insert(table: string, row: Row, uuidName: string): Operation {
  return { op: 'insert', table, row, 'uuid-name': uuidName };
}

/**
 * Returns the operation `select` (RFC 7047 section 5.2.2), whose result has columns of the matching rows, in no
 * particular order.
 */
export function select(table: string, where: Where, columns: readonly string[]): Operation {
  return { op: 'select', table, where, columns };
}

/** Returns the operation `update` (RFC 7047 section 5.2.3), which replaces columns of the matching rows. */
export function update(table: string, where: Where, row: Row): Operation {
  return { op: 'update', table, where, row };
}

/**
 * Returns the operation `mutate` (RFC 7047 section 5.2.4), which changes a number, set or map in place. The elements of
 * a set or map that other clients have written stay.
 */
export function mutate(table: string, where: Where, mutations: readonly Mutation[]): Operation {
  return { op: 'mutate', table, where, mutations };
}

/** Returns the operation `delete` (RFC 7047 section 5.2.5), which deletes every matching row. */
export function deleteRows(table: string, where: Where): Operation {
  return { op: 'delete', table, where };
}

/**
 * Returns the operation `wait` (RFC 7047 section 5.2.6), which delays the transaction until `columns` of the matching
 * rows are (`==`) or are not (`!=`) exactly `rows`. At the end of `timeout`, the transaction fails with OvsdbError
 * `timeout`. A timeout of 0 tests the condition once; if it is false, the transaction fails with OvsdbError
 * `operation`. The RFC makes the timeout optional; it is required here, because a transaction without it might never
 * end.
 */
export function wait(condition: Omit<Wait, 'op'>): Operation {
  return { op: 'wait', ...condition };
}

/**
 * Returns the operation `assert` (RFC 7047 section 5.2.10), a precondition of the transaction. If this connection does
 * not hold the lock, the transaction changes nothing and fails with OvsdbError `operation` ("not owner").
 */
export function assertLock(lock: string): Operation {
  return { op: 'assert', lock };
}
