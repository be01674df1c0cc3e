import { certificatesIn, readCertificate, signerOf, validityOf } from '../../../drivers/openssl/read-certificate.ts';
import type { OverlayChassis, OverlayNode } from '../../../model/overlay.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { isDue, isSameRequest, requestOf, type ValidityMs } from '../../../overlay/members/renewal.ts';
import { haveConnectionsToEnd, readIssued, readOwn, readOwnAuthority } from './authority.ts';

/** Milliseconds in a day. Certificates are issued for whole days. */
const dayMs = 86_400_000;

/** One step of the central node's work on certificates. */
export type CertificateStep =
  /** Signs the request of a member, with the same validity period as its previous certificate. */
  | { readonly do: 'answer'; readonly node: OverlayNode; readonly request: string; readonly days: number }
  /** Renews the central node's own certificate. */
  | { readonly do: 'renew-own' }
  /** Removes the trust in every authority except the signing one, which has issued the certificates of all members. */
  | { readonly do: 'drop-old' }
  /**
   * Ends the connections of all clients of the southbound database, after which clients with certificates of a removed
   * authority cannot connect again. This step is planned if an earlier run has removed the authority and was
   * interrupted afterwards.
   */
  | { readonly do: 'end-connections' };

/** Work that the central node has to do on certificates at present. */
export interface CertificateWork {
  readonly steps: readonly CertificateStep[];
  /** Sentences about refused certificate requests; each begins with `certificate` and the system-id of the member. */
  readonly refused: readonly string[];
  /**
   * Members for which the replacement of an authority waits, because they have no certificate of the new authority, or
   * still announce a request. Empty if no authority is being replaced.
   */
  readonly waiting: readonly string[];
}

/** Returns the issued certificates whose requests members still announce, by the system-id of the member. */
export function answeredRequests(
  { members, node }: OverlayRecord,
  chassis: readonly OverlayChassis[],
  pki: string,
): ReadonlyMap<string, string> {
  const answers = new Map<string, string>();
  for (const member of members ?? []) {
    const request = announcedRequest(member, chassis);
    if (member.name === node.name || request === null) continue;
    const issued = readIssued(pki, member.name);
    if (issued?.request != null && isSameRequest(issued.request, request))
      answers.set(member.systemId, issued.certificate);
  }
  return answers;
}

/**
 * Decides the work of the central node on certificates. A member gets a new certificate if its last one is due for
 * renewal, or was issued by an authority that is being replaced. A request at any other time is refused, so that no
 * member can keep the central node busy. OVN's access control ensures that a member announces a request only for itself
 * (ovn-sb(5), RBAC_Permission, Chassis.name).
 */
export function certificateWork(
  { members, node: central }: OverlayRecord,
  chassis: readonly OverlayChassis[],
  pki: string,
  nowMs: number,
): CertificateWork {
  const trusted = readOwnAuthority(pki);
  const own = readOwn(pki);
  const signing = certificatesIn(trusted ?? '').at(-1);
  if (trusted === null || own === null || signing === undefined) return { steps: [], refused: [], waiting: [] };
  const steps: CertificateStep[] = [];
  const refused: string[] = [];
  const waiting: string[] = [];
  const isReplaced = certificatesIn(trusted).length > 1;
  const isOfSigning = (pem: string): boolean => signerOf(pem, signing) !== null;
  for (const member of (members ?? []).filter(({ name }) => name !== central.name)) {
    const issued = readIssued(pki, member.name);
    const request = announcedRequest(member, chassis);
    const isAnswered = request !== null && issued?.request != null && isSameRequest(issued.request, request);
    const isCurrent = issued !== null && isOfSigning(issued.certificate);
    if (isReplaced && (!isCurrent || request !== null)) waiting.push(member.name);
    if (request === null || issued === null || isAnswered) continue;
    const dates = validityOf(issued.certificate);
    if (isCurrent && !isDue(dates, nowMs)) {
      const { notAfter } = readCertificate(issued.certificate);
      refused.push(
        `certificate ${member.systemId} (${member.name}) requests another one, and is valid until ${notAfter.slice(0, 10)}`,
      );
    } else steps.push({ do: 'answer', node: member, request, days: daysOf(dates) });
  }
  const isOwnOld = isReplaced && waiting.length === 0 && !isOfSigning(own.certificate);
  if (isOwnOld || isDue(validityOf(own.certificate), nowMs)) steps.push({ do: 'renew-own' });
  if (isReplaced && waiting.length === 0) steps.push({ do: 'drop-old' });
  else if (haveConnectionsToEnd(pki)) steps.push({ do: 'end-connections' });
  return { steps, refused, waiting };
}

function announcedRequest({ systemId }: OverlayNode, chassis: readonly OverlayChassis[]): string | null {
  const found = chassis.find(({ name }) => name === systemId);
  return found === undefined ? null : requestOf(found);
}

/**
 * Returns the number of days for which a certificate was issued; this is one day less than its validity, which begins a
 * day before the issue.
 */
function daysOf({ beginMs, endMs }: ValidityMs): number {
  return Math.max(1, Math.round((endMs - beginMs) / dayMs) - 1);
}
