import type { OverlayChassis, OverlayPlan } from '../../model/overlay.ts';
import type { OverlayRecord } from '../../model/overlay-record.ts';
import type { DatabaseRows } from '../../model/rows.ts';
import { planCentral } from '../../overlay/central.ts';
import { publishedIds } from '../../overlay/renewal.ts';
import { readOwnAuthority, tlsFiles } from './authority.ts';
import { answeredRequests } from './certificate-work.ts';
import type { OverlayPlaces } from './places.ts';

/** Nodes connect to this port of the central node (IANA: ovsdb is 6640; ovn-ctl(8): 6642 for the southbound database). */
export const southboundPort = 6642;
/** ovn-controller is asked after a minute of silence whether it is there (ovn-kubernetes has the same). */
const inactivityProbeMs = 60_000;

/**
 * The nodes connect here, with a certificate, and may write what an ovn-controller writes (ovn-sb(5), RBAC_Role). They read whom they trust, and the
 * answers to their requests for certificates.
 */
export function planListener(
  record: OverlayRecord,
  chassis: readonly OverlayChassis[],
  { pki }: OverlayPlaces,
  rows: DatabaseRows,
): OverlayPlan {
  const connections = record.southbound.map((remote) => ({
    target: remote.replace(/^ssl:(.*):(\d+)$/, 'pssl:$2:$1'),
    role: 'ovn-controller' as const,
    inactivityProbeMs,
  }));
  const authorities = readOwnAuthority(pki);
  const published = authorities === null ? {} : publishedIds(authorities, answeredRequests(record, chassis, pki));
  return planCentral({ owner: record.layout.owner, connections, tls: tlsFiles(pki), published, rows });
}
