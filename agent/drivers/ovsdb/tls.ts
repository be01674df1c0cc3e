import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { OvsdbError } from './errors.ts';
import { reasonOf } from './tls-failure.ts';

/** The PEM files of an `ssl:` connection. They are read anew for each one, so that a renewed certificate is used at the next. */
export interface Credentials {
  readonly privateKey: string;
  readonly certificate: string;
  /** Whoever signed the server's certificate. */
  readonly ca: string;
}

/** A connection to an `ssl:` remote whose handshake has begun. Throws OvsdbError `credentials`. */
export async function dialTls(
  { host, port }: { readonly host: string; readonly port: number },
  credentials: Credentials | undefined,
): Promise<TLSSocket> {
  // Loaded when it is used: that takes 15 ms, and a run that asks its own node's database does without.
  const tls = await import('node:tls');
  return tls.connect({ ...(await tlsOptions(tls, credentials)), host, port });
}

/**
 * How `ssl:` connects: both ends show a certificate, and each is checked against the CA, as Open vSwitch does it (ovsdb(7), option --ca-cert).
 * Its certificates name a switch or a system-id, never a host, so the name in it is not compared with the address; whoever has a certificate
 * of this CA is trusted as a server. Throws OvsdbError `credentials`.
 */
async function tlsOptions(
  { createSecureContext }: typeof import('node:tls'),
  credentials: Credentials | undefined,
): Promise<ConnectionOptions> {
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
    const { readFile } = await import('node:fs/promises');
    return await readFile(path);
  } catch (cause) {
    throw new OvsdbError('credentials', `cannot read ${path}: ${reasonOf(cause)}`, cause);
  }
}
