import type { Json, JsonObject } from './json.ts';
import { encodeRow, encodeValue, type Row, type Value } from './values.ts';

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
export type Where = readonly Condition[];

export interface InsertOperation {
  readonly op: 'insert';
  readonly table: string;
  readonly row: Row;
  readonly uuidName?: string;
}
export interface SelectOperation {
  readonly op: 'select';
  readonly table: string;
  readonly where: Where;
  readonly columns?: readonly string[];
}
export interface UpdateOperation {
  readonly op: 'update';
  readonly table: string;
  readonly where: Where;
  readonly row: Row;
}
export interface MutateOperation {
  readonly op: 'mutate';
  readonly table: string;
  readonly where: Where;
  readonly mutations: readonly Mutation[];
}
export interface DeleteOperation {
  readonly op: 'delete';
  readonly table: string;
  readonly where: Where;
}
export interface WaitOperation {
  readonly op: 'wait';
  readonly table: string;
  readonly where: Where;
  readonly columns: readonly string[];
  readonly until: '==' | '!=';
  readonly rows: readonly Row[];
  readonly timeoutMs: number;
}
export interface CommitOperation {
  readonly op: 'commit';
  readonly durable: boolean;
}
export interface AbortOperation {
  readonly op: 'abort';
}
export interface CommentOperation {
  readonly op: 'comment';
  readonly comment: string;
}
export interface AssertOperation {
  readonly op: 'assert';
  readonly lock: string;
}

export type Operation =
  | InsertOperation
  | SelectOperation
  | UpdateOperation
  | MutateOperation
  | DeleteOperation
  | WaitOperation
  | CommitOperation
  | AbortOperation
  | CommentOperation
  | AssertOperation;

/** 5.2.1: a new row. With `uuidName`, other operations of the transaction may refer to it as `{ namedUuid }`. */
export function insert(table: string, row: Row, options: { readonly uuidName?: string } = {}): InsertOperation {
  return { op: 'insert', table, row, ...options };
}

/** 5.2.2: rows that match, in no particular order; all columns unless some are named. */
export function select(table: string, where: Where, columns?: readonly string[]): SelectOperation {
  return { op: 'select', table, where, ...(columns === undefined ? {} : { columns }) };
}

/** 5.2.3: sets the columns of `row` in every row that matches. */
export function update(table: string, where: Where, row: Row): UpdateOperation {
  return { op: 'update', table, where, row };
}

/** 5.2.4: changes values in place, so that what others wrote into the same set or map stays. */
export function mutate(table: string, where: Where, mutations: readonly Mutation[]): MutateOperation {
  return { op: 'mutate', table, where, mutations };
}

/** 5.2.5: deletes every row that matches. */
export function deleteRows(table: string, where: Where): DeleteOperation {
  return { op: 'delete', table, where };
}

/**
 * 5.2.6: holds the transaction until `columns` of the matching rows are (`==`) or are not (`!=`) exactly `rows`. After
 * `timeoutMs` the transaction fails with error "timed out"; 0 tests once, which makes it a precondition. The RFC lets the
 * limit be left out; here it is required, because such a transaction would never end.
 */
export function wait(condition: Omit<WaitOperation, 'op'>): WaitOperation {
  return { op: 'wait', ...condition };
}

/** 5.2.7: with `durable`, the reply comes after the transaction is on disk. */
export function commit(durable: boolean): CommitOperation {
  return { op: 'commit', durable };
}

/** 5.2.8: fails the transaction with error "aborted". */
export function abort(): AbortOperation {
  return { op: 'abort' };
}

/** 5.2.9: text that the server writes into its log of the transaction. */
export function comment(text: string): CommentOperation {
  return { op: 'comment', comment: text };
}

/** 5.2.10: fails the transaction with error "not owner" unless this connection holds the lock, named like a column. */
export function assertLock(lock: string): AssertOperation {
  return { op: 'assert', lock };
}

/** Operation to its wire form. Throws TypeError on values no column can hold. */
export function encodeOperation(operation: Operation): JsonObject {
  switch (operation.op) {
    case 'insert': {
      const { op, table, row, uuidName } = operation;
      return { op, table, row: encodeRow(row), ...(uuidName === undefined ? {} : { 'uuid-name': uuidName }) };
    }
    case 'select':
    case 'delete':
      return { ...operation, where: encodeTriples(operation.where) };
    case 'update':
      return { ...operation, where: encodeTriples(operation.where), row: encodeRow(operation.row) };
    case 'mutate':
      return { ...operation, where: encodeTriples(operation.where), mutations: encodeTriples(operation.mutations) };
    case 'wait': {
      const { timeoutMs, ...rest } = operation;
      return { ...rest, where: encodeTriples(rest.where), rows: rest.rows.map(encodeRow), timeout: timeoutMs };
    }
    case 'commit':
    case 'abort':
    case 'comment':
    case 'assert':
      return { ...operation };
  }
}

function encodeTriples(triples: readonly (readonly [string, string, Value])[]): readonly Json[] {
  return triples.map(([column, verb, value]) => [column, verb, encodeValue(value)]);
}
