import type { CommandDocument } from './command-document.generated.ts';
import type { ErrorDocument } from './error-json.ts';

/** Document on standard output with `--output json`. */
export type JsonDocument = CommandDocument | ErrorDocument;

/**
 * Returns a document for output. If `diagnostics` is not null (`--verbose`), the document also has these facts for
 * support, which may have any shape and are not a part of the contract.
 */
export function printedDocument(document: JsonDocument, diagnostics: object | null): object {
  return diagnostics === null ? document : { ...document, diagnostics };
}
