import { OvsdbError, type OvsdbErrorDetails, printable } from './errors.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';
import type { Operation } from './operations.ts';
import { decodeRow, decodeValue, type Row, type Uuid } from './values.ts';

/** What one operation returns (RFC 7047 section 5.2). */
export type ResultOf<O extends Operation> = O extends { readonly op: 'insert' }
  ? Uuid
  : O extends { readonly op: 'select' }
    ? { readonly rows: readonly Row[] }
    : O extends { readonly op: 'update' | 'mutate' | 'delete' }
      ? { readonly count: number }
      : Readonly<Record<string, never>>;

/** One result per operation, in order. */
export type Results<O extends readonly Operation[]> = { readonly [I in keyof O]: ResultOf<O[I]> };

/**
 * Reads the reply to transact (RFC 7047 section 4.1.3). The server marks the operation that failed with an error object and
 * those after it with null; when all succeed but the commit does not, it appends one more element with the error. Either way
 * nothing was applied, and this throws one OvsdbError `operation` that says which, where and why.
 */
export function readResults<const O extends readonly Operation[]>(operations: O, reply: Json): Results<O> {
  if (!isJsonArray(reply)) throw malformedReply('the reply is not an array');
  const failed = reply.findIndex((element) => isJsonObject(element) && typeof element.error === 'string');
  if (failed !== -1) throw failedAt(failed, operations, reply[failed] as JsonObject);
  if (reply.length !== operations.length) {
    throw malformedReply(`${reply.length} results for ${operations.length} operations`);
  }
  try {
    return operations.map((operation, index) => readResult(operation, reply[index])) as Results<O>;
  } catch (error) {
    throw malformedReply(error instanceof Error ? error.message : String(error), error);
  }
}

// No error was reported, so the transaction went through as far as anybody can tell.
function malformedReply(what: string, cause?: unknown): OvsdbError {
  return new OvsdbError('protocol', `transact: ${what}`, { method: 'transact', mayHaveApplied: true }, cause);
}

/** The error the server gave for a whole request, such as "unknown database"; RFC 7047 section 3.1 allows any JSON there. */
export function refusedCall(method: string, error: Json): OvsdbError {
  const { error: name, text } = readErrorValue(error);
  const mayHaveApplied = method === 'transact' ? { mayHaveApplied: false } : {};
  return new OvsdbError('operation', `${method} refused: ${sentence(name, text)}`, {
    method,
    error: name,
    ...(text === undefined ? {} : { text }),
    ...mayHaveApplied,
  });
}

function readResult(operation: Operation, result: Json | undefined): unknown {
  if (!isJsonObject(result)) throw malformedResult(operation);
  switch (operation.op) {
    case 'insert': {
      const uuid = decodeValue(result.uuid ?? null);
      if (typeof uuid !== 'object' || !('uuid' in uuid)) throw malformedResult(operation);
      return uuid;
    }
    case 'select': {
      const rows = result.rows;
      if (!isJsonArray(rows)) throw malformedResult(operation);
      return { rows: rows.map(decodeRow) };
    }
    case 'update':
    case 'mutate':
    case 'delete':
      if (typeof result.count !== 'number') throw malformedResult(operation);
      return { count: result.count };
    default:
      return {};
  }
}

function malformedResult(operation: Operation): OvsdbError {
  return new OvsdbError('protocol', `malformed result of ${operation.op}`, { op: operation.op });
}

function failedAt(index: number, operations: readonly Operation[], element: JsonObject): OvsdbError {
  const operation = operations[index];
  const { error, text } = readErrorValue(element);
  const table = operation !== undefined && 'table' in operation ? operation.table : undefined;
  const place =
    operation === undefined
      ? 'commit'
      : `operation ${index} (${operation.op}${table === undefined ? '' : ` ${table}`})`;
  const details: OvsdbErrorDetails = {
    method: 'transact',
    operationIndex: index,
    op: operation?.op ?? 'commit',
    error,
    mayHaveApplied: false,
    ...(table === undefined ? {} : { table }),
    ...(text === undefined ? {} : { text }),
  };
  return new OvsdbError('operation', `${place} failed: ${sentence(error, text)}`, details);
}

function readErrorValue(value: Json): { readonly error: string; readonly text: string | undefined } {
  if (typeof value === 'string') return { error: value, text: undefined };
  if (!isJsonObject(value)) return { error: 'unknown error', text: undefined };
  const { error, details, syntax } = value;
  const parts = [details, syntax === undefined ? undefined : `in ${String(syntax)}`];
  const text = parts.filter((part) => typeof part === 'string' && part !== '').join(' ');
  return { error: typeof error === 'string' ? error : 'unknown error', text: text === '' ? undefined : text };
}

function sentence(error: string, text: string | undefined): string {
  return printable(text === undefined ? error : `${error}: ${text}`);
}
