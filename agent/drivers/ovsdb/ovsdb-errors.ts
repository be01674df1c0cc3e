/**
 * Kinds of errors between a caller and an OVSDB server:
 * - `invalid`: the caller's text is not a connection method (ovsdb(7), "Connection Methods")
 * - `unreachable`: no connection could be made (no socket, refused, no permission, no answer in time)
 * - `credentials`: the client's own key, certificate or CA file cannot be read or used
 * - `not-tls`: the server does not use TLS, or has no version of TLS in common with the client
 * - `certificate-expired`: the server's certificate has expired or is not valid yet
 * - `certificate-untrusted`: the server's certificate was not signed by the client's CA
 * - `certificate-refused`: the server refuses the client's certificate
 * - `no-leader`: servers answer, but no server is the leader
 * - `lost`: the connection ended
 * - `timeout`: a call or a wait exceeded its time limit
 * - `protocol`: the server violates RFC 7047
 * - `too-large`: a message, such as the contents of a database, exceeds the size limit (stream.ts)
 * - `operation`: the server rejected the operation (RFC 7047 section 3.1, `<error>`)
 * - `closed`: the client closed the connection
 */
export type OvsdbErrorKind =
  | 'invalid'
  | 'unreachable'
  | 'credentials'
  | 'not-tls'
  | 'certificate-expired'
  | 'certificate-untrusted'
  | 'certificate-refused'
  | 'no-leader'
  | 'lost'
  | 'timeout'
  | 'protocol'
  | 'too-large'
  | 'operation'
  | 'closed';

/** Error of an OVSDB connection or operation. */
export class OvsdbError extends Error {
  override readonly name = 'OvsdbError';
  readonly kind: OvsdbErrorKind;

  constructor(kind: OvsdbErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

/** Escapes control characters in text of another program, so that they do not reach a terminal or the journal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns the beginning of a text in quotes, with control characters escaped. */
export function quoteExcerpt(text: string, maxLength = 60): string {
  return `"${printable(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)}"`;
}
