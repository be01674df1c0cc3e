import { readFile } from 'node:fs/promises';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { OvsdbError, type OvsdbErrorKind, printable } from './errors.ts';

/** The PEM files of an `ssl:` connection. They are read anew for each one, so that a renewed certificate is used at the next. */
export interface Credentials {
  readonly privateKey: string;
  readonly certificate: string;
  /** Whoever signed the server's certificate. */
  readonly ca: string;
}

/**
 * How `ssl:` connects: both ends show a certificate, and each is checked against the CA, as Open vSwitch does it (ovsdb(7), option --ca-cert).
 * Its certificates name a switch or a system-id, never a host, so the name in it is not compared with the address; whoever has a certificate
 * of this CA is trusted as a server. Throws OvsdbError `credentials`.
 */
export async function tlsOptions(credentials: Credentials | undefined): Promise<ConnectionOptions> {
  if (credentials === undefined)
    throw new OvsdbError('credentials', 'ssl: needs a private key, a certificate and the certificate of its CA');
  const [key, cert, ca] = await Promise.all([
    readPem(credentials.privateKey),
    readPem(credentials.certificate),
    readPem(credentials.ca),
  ]);
  try {
    const secureContext = createSecureContext({ key, cert, ca, minVersion: 'TLSv1.2' });
    // Said although it is the default: an environment variable of Node can turn the default off.
    return { secureContext, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  } catch (cause) {
    const files = `${credentials.privateKey}, ${credentials.certificate} and ${credentials.ca}`;
    throw new OvsdbError('credentials', `${files} cannot be used for TLS: ${reasonOf(cause)}`, cause);
  }
}

async function readPem(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new OvsdbError('credentials', `cannot read ${path}: ${reasonOf(cause)}`, cause);
  }
}

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

function reasonOf(error: unknown): string {
  const { reason, message } = error as { reason?: string; message?: string };
  return printable(reason ?? message ?? String(error));
}
