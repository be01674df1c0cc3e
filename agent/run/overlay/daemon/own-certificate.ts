import { writeFileAtomically } from '../../../drivers/host/files/files.ts';
import { certificatesIn, isKeyOf, signerOf, validityOf } from '../../../drivers/openssl/read-certificate.ts';
import { isDue, type Published } from '../../../overlay/members/renewal.ts';
import { withLockWhenFree } from '../../lock.ts';
import { installOwn, readOwn, readOwnAuthority } from '../certificates/authority.ts';
import { readOwnRequest, removeOwnRequest, requireOwnRequest } from '../certificates/own-request.ts';
import { pkiFiles } from '../certificates/pki-files.ts';

/** Next step of a member with its certificate. */
type OwnStep =
  /** Trusts these authorities, as the central node does. */
  | { readonly do: 'trust'; readonly authorities: string }
  /** Installs the answer to its request. */
  | { readonly do: 'install'; readonly key: string; readonly certificate: string }
  /** Makes a key and requests a certificate for it. */
  | { readonly do: 'ask' };

/**
 * Maintains a member's certificate: trusts the authorities that the central node publishes, requests another
 * certificate if its own is due or is of an authority that is being replaced, and installs the answer. Returns true if
 * it did a step, which the next check of the node then announces. Takes the lock only for a step.
 */
export async function keepOwnCertificate(
  pki: string,
  systemId: string,
  published: Published | null,
  say: (step: string) => void,
): Promise<boolean> {
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

/** Decides from the node's files and the data that is published for it; null if there is nothing to do. */
export function ownStep(pki: string, published: Published | null, nowMs: number): OwnStep | null {
  const own = readOwn(pki);
  const trusted = readOwnAuthority(pki);
  if (own === null || trusted === null) return null;
  const { authorities = null, certificate = null } = published ?? {};
  // Authorities that did not sign the node's own certificate are never trusted: the node would be cut off from the
  // answer to its request.
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
