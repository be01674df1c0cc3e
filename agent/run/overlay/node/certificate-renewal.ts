import { certificatesIn, readCertificate } from '../../../drivers/openssl/read-certificate.ts';
import { reconnectClients } from '../../../drivers/ovn/control.ts';
import { AgentError } from '../../../errors.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import {
  addAuthority,
  dropOldAuthority,
  forgetConnectionsToEnd,
  haveConnectionsToEnd,
  installOwn,
  issueFor,
  readAuthority,
  readOwnAuthority,
  rememberIssued,
  signFor,
} from '../certificates/authority.ts';
import type { CertificateStep, CertificateWork } from '../certificates/certificate-work.ts';
import { carryOut } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { requireCentral } from '../record/record.ts';
import { withPlan } from './planned-node.ts';

/**
 * Carries out the central node's work on certificates. Afterwards the caller has to plan the southbound rows, because
 * they publish the results.
 */
export async function doCertificateWork(
  { steps }: CertificateWork,
  { node }: OverlayRecord,
  places: OverlayPlaces,
  say: (step: string) => void,
): Promise<void> {
  const act = async (step: CertificateStep): Promise<void> => {
    if (step.do === 'answer') {
      const { name, systemId } = step.node;
      rememberIssued(places.pki, name, await signFor(places.pki, systemId, step.request, step.days), step.request);
      say(`${name} gets a new certificate`);
    } else if (step.do === 'renew-own') {
      await renewOwn(node, places);
      say('this node has a new certificate');
    } else {
      if (step.do === 'drop-old') {
        dropOldAuthority(places.pki);
        say('every member has a certificate of the new authority: the old one is not trusted any more');
      }
      await endConnections(places);
    }
  };
  for (const step of steps) await act(step);
}

/** Issues a new certificate for the central node itself, and installs it. */
export async function renewOwn(node: OverlayRecord['node'], { pki }: OverlayPlaces, days?: number): Promise<void> {
  const pair = await issueFor(pki, node, 'server and client', 'renew', days);
  installOwn(pki, pair, readOwnAuthority(pki) ?? readAuthority(pki).certificate);
}

/** Progress of the replacement of an authority. */
export interface Rotation {
  /** Common name of the authority that signs. */
  readonly authority: string;
  /**
   * Members for which the replacement waits: they have no certificate of the new authority, or still announce a
   * request.
   */
  readonly waiting: readonly string[];
  readonly isDone: boolean;
}

/**
 * Begins to replace the authority of the cluster. The new authority signs from now on, and both authorities are trusted
 * until every member has a certificate of the new one. The daemons issue and install these certificates. With
 * `isFinal`, ends a replacement that has begun: the old authority is no longer trusted, and members without a
 * certificate of the new one have to join again. Refuses a second replacement before the end of the first, because
 * there would then be three authorities.
 */
export async function rotateAuthority(
  places: OverlayPlaces,
  isFinal: boolean,
  say: (step: string) => void,
  days?: number,
): Promise<Rotation> {
  const record = requireCentral(places.record);
  const before = await withPlan(record, places, async ({ certificates }) => certificates);
  const isReplaced = certificatesIn(readOwnAuthority(places.pki) ?? '').length > 1;
  if (!isReplaced && isFinal && !haveConnectionsToEnd(places.pki)) {
    throw new AgentError('certificates-refused', 'no authority is being replaced', {
      hint: 'begin with: microshift-net overlay pki rotate',
    });
  }
  if (isReplaced && !isFinal) {
    throw new AgentError(
      'certificates-refused',
      `the authority is being replaced already; without a certificate of the new one: ${before.waiting.join(', ') || 'this node'}`,
      {
        hint: 'start these members, or take them out; or, to cut them off now: microshift-net overlay pki rotate --finish',
        facts: { waiting: before.waiting },
      },
    );
  }
  if (!isReplaced && !isFinal) await addAuthority(places.pki, days);
  const authority = readAuthority(places.pki).certificate;
  if (isFinal && isReplaced) {
    await renewOwn(record.node, places);
    dropOldAuthority(places.pki);
  }
  const waiting = await withPlan(record, places, async ({ databases, certificates }) => {
    for (const { database, plan, rows } of databases.filter((one) => one.plan.database === 'OVN_Southbound'))
      await carryOut(database, plan, rows);
    return certificates.waiting;
  });
  if (isFinal) await endConnections(places);
  say(`${readCertificate(authority).commonName} signs from now on`);
  return {
    authority: readCertificate(authority).commonName,
    waiting: isFinal ? before.waiting : waiting,
    isDone: isFinal,
  };
}

/**
 * Ends the connections of all clients of the southbound database. The clients connect again within seconds, except
 * those whose certificates are not trusted any more.
 */
async function endConnections({ ovnRuns, pki }: OverlayPlaces): Promise<void> {
  await reconnectClients('OVN_Southbound', ovnRuns);
  forgetConnectionsToEnd(pki);
}
