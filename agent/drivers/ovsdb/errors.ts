/**
 * What can go wrong between a caller and an OVSDB server:
 * - `invalid`: what the caller named as a server is none (ovsdb(7), "Connection Methods")
 * - `unreachable`: no connection could be made (no socket, refused, no permission, no answer in time)
 * - `credentials`: our own key, certificate or CA file cannot be read or used
 * - `not-tls`: something listens there that does not speak TLS
 * - `certificate-expired`: the server's certificate is over, or not valid yet
 * - `certificate-untrusted`: the server's certificate was not signed by our CA
 * - `certificate-refused`: the server refuses our certificate
 * - `no-leader`: servers answer, and none of them is the one to talk to
 * - `lost`: there was a connection and it ended
 * - `timeout`: a call or a wait took longer than it may
 * - `protocol`: the peer does not speak RFC 7047 as we understand it
 * - `operation`: the server understood and refused (RFC 7047 section 3.1, `<error>`)
 * - `closed`: our side closed
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
  | 'operation'
  | 'closed';

/** The one error class of this folder. */
export class OvsdbError extends Error {
  override readonly name = 'OvsdbError';
  readonly kind: OvsdbErrorKind;

  constructor(kind: OvsdbErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

/** Makes text from outside safe for a one-line message: no control characters reach a terminal or the journal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Shortened, printable and quoted. */
export function quoteExcerpt(text: string, maxLength = 60): string {
  return `"${printable(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)}"`;
}
