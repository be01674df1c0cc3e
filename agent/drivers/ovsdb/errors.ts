/**
 * What can go wrong between a caller and an OVSDB server:
 * - `unreachable`: no connection could be made (no socket, refused, no permission, connect deadline)
 * - `lost`: there was a connection and it ended, or the server stopped answering echo
 * - `timeout`: a deadline passed while the connection was up
 * - `protocol`: the peer does not speak RFC 7047 as we understand it; the connection has been closed
 * - `operation`: the server understood and refused (RFC 7047 section 3.1, `<error>`)
 * - `closed`: our side closed the client
 */
export type OvsdbErrorKind = 'unreachable' | 'lost' | 'timeout' | 'protocol' | 'operation' | 'closed';

/** The facts behind the message: flat, plain JSON. */
export interface OvsdbErrorDetails {
  readonly remote?: string;
  /** errno name of the socket failure, such as ENOENT. */
  readonly code?: string;
  readonly method?: string;
  readonly timeoutMs?: number;
  /** The `<error>` name of the RFC, such as "constraint violation". Unknown names are kept as they came. */
  readonly error?: string;
  /** The server's own words about `error`. */
  readonly text?: string;
  /** Position in the transaction; equal to the number of operations when the commit itself failed. */
  readonly operationIndex?: number;
  /** `op` of the failed operation, or "commit" when the commit itself failed. */
  readonly op?: string;
  readonly table?: string;
  /** Only on transact: true when the server may have applied the transaction although this call failed. */
  readonly mayHaveApplied?: boolean;
}

/** The one error class of this folder. Wrong arguments are defects of the caller and throw TypeError instead. */
export class OvsdbError extends Error {
  override readonly name = 'OvsdbError';
  readonly kind: OvsdbErrorKind;
  readonly details: OvsdbErrorDetails;

  constructor(kind: OvsdbErrorKind, message: string, details: OvsdbErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.details = details;
  }
}

/** Makes text from outside safe for a one-line message: no control characters reach a terminal or the journal. */
export function printable(text: string): string {
  return [...text].map((character) => (/\p{Cc}/u.test(character) ? escapeCharacter(character) : character)).join('');
}

/** Shortened, printable and quoted. */
export function quoteExcerpt(text: string, maxLength = 60): string {
  return `"${printable(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)}"`;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
