import { type OvsdbErrorKind, printable } from './errors.ts';

/** Where a failed connection had got to. */
export type TlsStage = 'handshake' | 'first answer';

/** What a TLS connection that failed means; undefined: it is nothing that has to do with TLS. */
export function explainTlsFailure(error: Error, stage: TlsStage): readonly [OvsdbErrorKind, string] | undefined {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const reason = reasonOf(error);
  if (/ALERT_PROTOCOL_VERSION/.test(code)) return ['not-tls', `no common version of TLS: ${reason}`];
  if (/^ERR_SSL_.*ALERT/.test(code)) return ['certificate-refused', `the server refuses our certificate: ${reason}`];
  if (code.startsWith('ERR_SSL_')) return ['not-tls', `the other end does not speak TLS: ${reason}`];
  if (code === 'CERT_HAS_EXPIRED') return ['certificate-expired', 'the certificate of the server has expired'];
  if (code === 'CERT_NOT_YET_VALID')
    return ['certificate-expired', 'the certificate of the server is not valid yet; compare the clocks'];
  if (untrusted.test(code))
    return ['certificate-untrusted', `the certificate of the server is not of our CA: ${reason}`];
  if (!['ECONNRESET', 'EPIPE'].includes(code)) return undefined;
  // TLS 1.3 has the server look at the certificate of the client when the client is done; its alert can be lost to the reset that follows.
  return stage === 'handshake'
    ? ['not-tls', 'it closed at the TLS handshake, as a server does that does not speak TLS']
    : ['certificate-refused', 'it closed after the TLS handshake, as a server does that refuses our certificate'];
}

/** Names of OpenSSL's verification errors, X509_STORE_CTX_get_error(3), as Node has them. */
const untrusted = /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|CRL_|INVALID_|PATH_LENGTH_|HOSTNAME_|ERROR_IN_CERT_)/;

/** What OpenSSL or the system says of it, on one line. */
export function reasonOf(error: unknown): string {
  const { reason, message } = error as { reason?: string; message?: string };
  return printable(reason ?? message ?? String(error));
}
