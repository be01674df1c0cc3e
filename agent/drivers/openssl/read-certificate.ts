import { createPrivateKey, X509Certificate } from 'node:crypto';
import { messageOf } from '../../errors.ts';

/** Fields of a certificate. */
export interface CertificateFacts {
  readonly commonName: string;
  readonly issuer: string;
  readonly serialNumber: string;
  /** Start of the validity, as ISO 8601; notAfter is its end. */
  readonly notBefore: string;
  readonly notAfter: string;
}

/** Reads the first certificate of a PEM text; throws an Error with the reason if the text has none. */
export function readCertificate(pem: string): CertificateFacts {
  const found = parse(pem);
  return {
    commonName: commonNameOf(found.subject),
    issuer: commonNameOf(found.issuer),
    serialNumber: found.serialNumber.toLowerCase(),
    notBefore: new Date(found.validFrom).toISOString(),
    notAfter: new Date(found.validTo).toISOString(),
  };
}

/** Returns the validity of the first certificate of a PEM text, in ms since 1970. */
export function validityOf(pem: string): { readonly beginMs: number; readonly endMs: number } {
  const { validFrom, validTo } = parse(pem);
  return { beginMs: Date.parse(validFrom), endMs: Date.parse(validTo) };
}

/**
 * Returns the reason why a key, its certificate and the authorities do not belong together; null if they belong
 * together. Does not check the dates.
 */
export function pairFault(key: string, certificate: string, authorities: string): string | null {
  try {
    const signer = signerOf(certificate, authorities);
    if (!parse(certificate).checkPrivateKey(createPrivateKey(key)))
      return 'the private key is not that of the certificate';
    return signer === null ? 'the certificate was not signed by the authority beside it' : null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Returns the certificates of a PEM text, each with its newline (RFC 7468 section 5). */
export function certificatesIn(pem: string): readonly string[] {
  return [...pem.matchAll(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g)].map(([text]) => `${text}\n`);
}

/**
 * Returns the authority, as PEM, that has signed a certificate; null if none of these authorities has signed it. Throws
 * an Error if one of the texts is not a certificate.
 */
export function signerOf(certificate: string, authorities: string): string | null {
  const leaf = parse(certificate);
  const all = certificatesIn(authorities);
  if (all.length === 0) parse(authorities);
  return (
    all.find((one) => {
      const root = parse(one);
      return leaf.checkIssued(root) && leaf.verify(root.publicKey);
    }) ?? null
  );
}

/**
 * Returns true if the key of a certificate is on the curve P-256, like the keys that the agent creates. A member with a
 * weaker key would have a less secure connection.
 */
export function isP256(certificate: string): boolean {
  const { asymmetricKeyType, asymmetricKeyDetails } = parse(certificate).publicKey;
  return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

/**
 * Returns true if a key belongs to a certificate; false if it does not, or if a text is not a key or not a certificate.
 */
export function isKeyOf(key: string, certificate: string): boolean {
  try {
    return parse(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function parse(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new Error('this is not a certificate', { cause });
  }
}

/** Returns the common name from the subject of a certificate, which Node.js formats as lines of KEY=value. */
function commonNameOf(name: string): string {
  return /^CN=(.*)$/m.exec(name)?.[1] ?? '';
}
