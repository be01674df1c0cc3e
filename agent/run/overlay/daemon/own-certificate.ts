import { writeFileAtomically } from '../../../drivers/host/files/files.ts';
import { certificatesIn, isKeyOf, signerOf, validityOf } from '../../../drivers/openssl/read-certificate.ts';
import { isDue, type Published, publishedFor } from '../../../overlay/members/renewal.ts';
import { withLockWhenFree } from '../../lock.ts';
import { installOwn, readOwn, readOwnAuthority } from '../certificates/authority.ts';
import { readOwnRequest, removeOwnRequest, requireOwnRequest } from '../certificates/own-request.ts';
import { pkiFiles } from '../certificates/pki-files.ts';

/** Next step of a member in the renewal of its certificate. */
type OwnStep =
  /** Trusts the authorities that the central node publishes. */
  | { readonly do: 'trust'; readonly authorities: string }
  /** Installs the certificate that answers the member's request. */
  | { readonly do: 'install'; readonly key: string; readonly certificate: string }
  /** Creates a key and requests a certificate for it. */
  | { readonly do: 'ask' };

/**
 * Maintains a member's certificate. `ids` is SB_Global.external_ids, in which the central node publishes authorities
 * and answers; null if it has not been read yet. Trusts the published authorities. Requests a new certificate if the
 * present one is due for renewal, or was issued by an authority that is being replaced. Installs the answer. Returns
 * true if a step was done; the next check of the node then announces the result. Takes the lock only for a step.
 */
export async function keepOwnCertificate(
  pki: string,
  systemId: string,
  ids: Readonly<Record<string, string>> | null,
  say: (step: string) => void,
): Promise<boolean> {
  const published = ids && publishedFor(systemId, ids);
  if (ownStep(pki, published, Date.now()) === null) return false;
  return withLockWhenFree('overlay run', async () => {
    const step = ownStep(pki, published, Date.now());
    if (step === null) return false;
    if (step.do === 'trust') {
      writeFileAtomically(pkiFiles(pki).authority, step.authorities);
      say('this node trusts other authorities of the cluster now');
    } else if (step.do === 'install') {
      installOwn(pki, step, readOwnAuthority(pki) ?? '');
      removeOwnRequest(pki);
      say('this node has a new certificate');
    } else {
      await requireOwnRequest(pki, systemId);
      say('this node requests a new certificate');
    }
    return true;
  });
}

/** Determines the next step from the node's files and the published data; null if there is nothing to do. */
export function ownStep(pki: string, published: Published | null, nowMs: number): OwnStep | null {
  const own = readOwn(pki);
  const trusted = readOwnAuthority(pki);
  if (own === null || trusted === null) return null;
  const { authorities = null, certificate = null } = published ?? {};
  // Authorities are trusted only if one of them has signed the node's own certificate. Otherwise the node could not
  // connect any more to receive a new certificate.
  if (authorities !== null && authorities !== trusted && isSignerIn(own.certificate, authorities))
    return { do: 'trust', authorities };
  const request = readOwnRequest(pki);
  if (request !== null) {
    const isAnswer = certificate !== null && isKeyOf(request.key, certificate) && isSignerIn(certificate, trusted);
    return isAnswer ? { do: 'install', key: request.key, certificate } : null;
  }
  const signing = certificatesIn(trusted).at(-1) ?? trusted;
  const isOld = signerOf(own.certificate, signing) === null;
  return isOld || isDue(validityOf(own.certificate), nowMs) ? { do: 'ask' } : null;
}

function isSignerIn(certificate: string, authorities: string): boolean {
  try {
    return signerOf(certificate, authorities) !== null;
  } catch {
    return false;
  }
}
