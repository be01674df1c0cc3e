import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';
import type { Operation } from './operations.ts';
import { OvsdbError, printable } from './ovsdb-errors.ts';

/** Rows that each operation returns, in the order of the operations; only `select` returns rows. */
export type Results<O extends readonly Operation[]> = { readonly [I in keyof O]: readonly JsonObject[] };

/**
 * Reads the reply to transact (RFC 7047 section 4.1.3). The server returns an error object for the operation that
 * failed and null for those after it. If all operations succeed but the commit fails, it appends one element with the
 * error. In both cases nothing was applied, and the function throws one OvsdbError with the reason. The error names the
 * failed operation with its table, or the commit.
 */
export function readResults<const O extends readonly Operation[]>(operations: O, reply: Json): Results<O> {
  if (!isJsonArray(reply)) throw malformed('the reply is not an array');
  const failed = reply.findIndex((element) => isJsonObject(element) && typeof element.error === 'string');
  if (failed !== -1) throw failedAt(failed, operations[failed], reply[failed] as JsonObject);
  return operations.map((operation, index) => readRows(operation, reply[index])) as Results<O>;
}

/**
 * Returns the error for a request that the server has rejected as a whole, such as "unknown database". RFC 7047 section
 * 3.1 allows any JSON in the reply.
 */
export function refusedCall(method: string, error: Json): OvsdbError {
  return new OvsdbError('operation', `${method} refused: ${sentence(error)}`);
}

function readRows({ op }: Operation, result: Json | undefined): readonly JsonObject[] {
  const rows = isJsonObject(result) ? (op === 'select' ? result.rows : []) : null;
  if (isJsonArray(rows) && rows.every(isJsonObject)) return rows;
  throw malformed(`malformed result of ${op}`);
}

function failedAt(index: number, operation: Operation | undefined, element: JsonObject): OvsdbError {
  const place =
    operation === undefined
      ? 'commit'
      : `operation ${index} (${operation.op} ${'table' in operation ? operation.table : operation.lock})`;
  const ranOut = operation?.op === 'wait' && operation.timeout > 0 && element.error === 'timed out';
  return new OvsdbError(ranOut ? 'timeout' : 'operation', `${place} failed: ${sentence(element)}`);
}

function malformed(what: string): OvsdbError {
  return new OvsdbError('protocol', `transact: ${what}`);
}

function sentence(value: Json): string {
  const { error, details, syntax } = isJsonObject(value) ? value : { error: value };
  const text = [details, typeof syntax === 'string' ? `in ${syntax}` : ''].filter(
    (part) => typeof part === 'string' && part !== '',
  );
  return printable(
    [typeof error === 'string' ? error : 'unknown error', text.join(' ')].filter((part) => part !== '').join(': '),
  );
}
