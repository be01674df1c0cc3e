import { type OvsdbErrorKind, printable } from './ovsdb-errors.ts';

/** Stage in which a connection failed. */
export type TlsStage = 'handshake' | 'first answer';

/** Returns the kind of error and the explanation for a failed TLS connection; undefined if TLS is not the cause. */
export function explainTlsFailure(error: Error, stage: TlsStage): readonly [OvsdbErrorKind, string] | undefined {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const reason = reasonOf(error);
  if (/ALERT_PROTOCOL_VERSION/.test(code)) return ['not-tls', `no common version of TLS: ${reason}`];
  if (/^ERR_SSL_.*ALERT/.test(code))
    return ['certificate-refused', `the server refuses the certificate of this node: ${reason}`];
  if (code.startsWith('ERR_SSL_')) return ['not-tls', `the other end does not speak TLS: ${reason}`];
  if (code === 'CERT_HAS_EXPIRED') return ['certificate-expired', 'the certificate of the server has expired'];
  if (code === 'CERT_NOT_YET_VALID')
    return ['certificate-expired', 'the certificate of the server is not valid yet; compare the clocks'];
  if (untrusted.test(code))
    return [
      'certificate-untrusted',
      `the certificate of the server is not signed by the authority that this node trusts: ${reason}`,
    ];
  if (!['ECONNRESET', 'EPIPE'].includes(code)) return undefined;
  // In TLS 1.3, the server checks the client's certificate after the client has finished the handshake. If the server
  // refuses the certificate, its alert can be lost when the connection is reset. A connection that is lost after the
  // handshake may therefore mean a refused certificate.
  return stage === 'handshake'
    ? ['not-tls', 'it closed at the TLS handshake, as a server does that does not speak TLS']
    : [
        'certificate-refused',
        'it closed after the TLS handshake, as a server does that refuses the certificate of this node',
      ];
}

/** Pattern of the names of OpenSSL's verification errors (X509_STORE_CTX_get_error(3)) as Node reports them. */
const untrusted = /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|CRL_|INVALID_|PATH_LENGTH_|HOSTNAME_|ERROR_IN_CERT_)/;

/** Returns the reason that OpenSSL or the system gives, on one line. */
export function reasonOf(error: unknown): string {
  const { reason, message } = error as { reason?: string; message?: string };
  return printable(reason ?? message ?? String(error));
}
