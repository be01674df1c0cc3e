import type { Row, Value } from './values.ts';

/** RFC 7047 section 5.1 `<condition>`. Against a set or map, `includes` and `excludes` compare elements. */
export type Condition = readonly [
  column: string,
  test: '==' | '!=' | '<' | '<=' | '>' | '>=' | 'includes' | 'excludes',
  value: Value,
];

/** RFC 7047 section 5.1 `<mutation>`. `insert` and `delete` work on sets and maps, the others on numbers. */
export type Mutation = readonly [
  column: string,
  mutator: '+=' | '-=' | '*=' | '/=' | '%=' | 'insert' | 'delete',
  value: Value,
];

/** All conditions must hold; an empty list selects every row. */
type Where = readonly Condition[];

/** 5.2.6; the limit is in milliseconds. */
type Wait = {
  readonly op: 'wait';
  readonly table: string;
  readonly where: Where;
  readonly columns: readonly string[];
  readonly until: '==' | '!=';
  readonly rows: readonly Row[];
  readonly timeout: number;
};

/** The operations this client knows, as RFC 7047 section 5.2 writes them. */
export type Operation =
  | { readonly op: 'insert'; readonly table: string; readonly row: Row; readonly 'uuid-name': string }
  | { readonly op: 'select'; readonly table: string; readonly where: Where; readonly columns: readonly string[] }
  | { readonly op: 'mutate'; readonly table: string; readonly where: Where; readonly mutations: readonly Mutation[] }
  | { readonly op: 'update'; readonly table: string; readonly where: Where; readonly row: Row }
  | { readonly op: 'delete'; readonly table: string; readonly where: Where }
  | { readonly op: 'assert'; readonly lock: string }
  | Wait;

/** 5.2.1: a new row, to which other operations of the transaction may refer by `namedUuid(uuidName)`. */
export function insert(table: string, row: Row, uuidName: string): Operation {
  return { op: 'insert', table, row, 'uuid-name': uuidName };
}

/** 5.2.2: the named columns of the rows that match, in no particular order. */
export function select(table: string, where: Where, columns: readonly string[]): Operation {
  return { op: 'select', table, where, columns };
}

/** 5.2.3: sets these columns of the rows that match to new values, whatever was there. */
export function update(table: string, where: Where, row: Row): Operation {
  return { op: 'update', table, where, row };
}

/** 5.2.4: changes values in place, so that what others wrote into the same set or map stays. */
export function mutate(table: string, where: Where, mutations: readonly Mutation[]): Operation {
  return { op: 'mutate', table, where, mutations };
}

/** 5.2.5: deletes every row that matches. */
export function deleteRows(table: string, where: Where): Operation {
  return { op: 'delete', table, where };
}

/**
 * 5.2.6: holds the transaction until `columns` of the matching rows are (`==`) or are not (`!=`) exactly `rows`. After `timeout` the
 * transaction fails with `timeout`; 0 tests once, which makes it a precondition, and fails with `operation`. The RFC lets the limit be
 * left out; here it is required, because such a transaction would never end.
 */
export function wait(condition: Omit<Wait, 'op'>): Operation {
  return { op: 'wait', ...condition };
}

/** 5.2.10: a precondition: fails with `operation` ("not owner"), and applies nothing, unless this connection holds the lock. */
export function assertLock(lock: string): Operation {
  return { op: 'assert', lock };
}
