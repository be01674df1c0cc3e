import { createPrivateKey, X509Certificate } from 'node:crypto';
import { messageOf } from '../../errors.ts';

/** What a certificate says. */
export interface CertificateFacts {
  readonly commonName: string;
  readonly issuer: string;
  readonly serialNumber: string;
  /** ISO 8601. */
  readonly notBefore: string;
  readonly notAfter: string;
}

/** The first certificate of a PEM text; throws an Error that says why it is none. */
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

/** Why a key, its certificate and the authority do not belong together; null: they do. Says nothing of dates. */
export function pairFault(key: string, certificate: string, authority: string): string | null {
  try {
    const [leaf, root] = [parse(certificate), parse(authority)];
    if (!leaf.checkPrivateKey(createPrivateKey(key))) return 'the private key is not that of the certificate';
    if (!leaf.checkIssued(root) || !leaf.verify(root.publicKey))
      return 'the certificate was not signed by the authority beside it';
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function parse(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new Error('this is no certificate', { cause });
  }
}

/** Node writes a name as lines of KEY=value, in the order of the certificate. */
function commonNameOf(name: string): string {
  return /^CN=(.*)$/m.exec(name)?.[1] ?? '';
}
