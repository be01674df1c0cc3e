import { readFile } from 'node:fs';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { OvsdbError } from './ovsdb-errors.ts';
import { reasonOf } from './tls-failure.ts';

/**
 * PEM files of an `ssl:` connection. They are read for each connection, so that the next connection uses a renewed
 * certificate.
 */
export interface Credentials {
  readonly privateKey: string;
  readonly certificate: string;
  /** File with the CA that signed the server's certificate. */
  readonly ca: string;
}

/**
 * Starts the handshake with an `ssl:` remote and returns the connection. Throws OvsdbError `credentials` if a file is
 * not named, cannot be read or cannot be used.
 */
export async function dialTls(
  { host, port }: { readonly host: string; readonly port: number },
  credentials: Credentials | undefined,
): Promise<TLSSocket> {
  // The module node:tls is loaded on demand. Loading takes 15 ms, which a run without `ssl:` connections saves.
  const tls = await import('node:tls');
  return tls.connect({ ...(await tlsOptions(tls, credentials)), host, port });
}

/**
 * Returns the options for `ssl:`. Both ends present a certificate, and each is checked against the CA, as in Open
 * vSwitch (ovsdb(7), option --ca-cert). The certificates name a switch or a system-id and never a host, so the name is
 * not compared with the address. Every holder of a certificate of this CA that permits use by a server (extended key
 * usage) is therefore trusted as the server. Throws OvsdbError `credentials` like dialTls.
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
    // rejectUnauthorized is set explicitly, because an environment variable of Node.js can change its default.
    return { secureContext, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  } catch (cause) {
    const files = `${credentials.privateKey}, ${credentials.certificate} and ${credentials.ca}`;
    throw new OvsdbError('credentials', `${files} cannot be used for TLS: ${reasonOf(cause)}`, cause);
  }
}

async function readPem(path: string): Promise<Buffer> {
  try {
    // node:fs/promises, which takes 4 ms to load, is not needed for this.
    return await promisify(readFile)(path);
  } catch (cause) {
    throw new OvsdbError('credentials', `cannot read ${path}: ${reasonOf(cause)}`, cause);
  }
}
