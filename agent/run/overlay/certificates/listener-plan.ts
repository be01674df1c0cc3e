import type { OverlayChassis, OverlayNode, OverlayPlan } from '../../../model/overlay.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import { planCentral } from '../../../overlay/cluster/central.ts';
import { directNodes } from '../../../overlay/direct/direct-nodes.ts';
import { publishedPodMtu } from '../../../overlay/direct/direct-only.ts';
import { publishedDirect } from '../../../overlay/direct/published-direct.ts';
import { publishedIds } from '../../../overlay/members/renewal.ts';
import { publishedPeers } from '../../../overlay/peers/published-peers.ts';
import { publishedPorts } from '../../../overlay/ports/published-ports.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { readOwnAuthority } from './authority.ts';
import { answeredRequests } from './certificate-work.ts';
import { tlsFiles } from './pki-files.ts';

/** Port at which the central node's southbound database listens for other nodes (ovn-ctl(8), `--db-sb-port`). */
export const southboundPort = 6642;
/**
 * Time without traffic, in ms, after which ovsdb-server probes the connection of an ovn-controller. ovn-controller
 * itself probes more often (agent/overlay/local/local.ts), so this probe only ends the connections of nodes that are
 * down.
 */
const inactivityProbeMs = 60_000;

/**
 * Plans the southbound rows that let nodes connect with their certificates, with the rights of an ovn-controller
 * (ovn-sb(5), RBAC_Role). The rows also publish the trusted authorities, the certificates that answer requests of
 * members, the peers of the cluster, its ports for hosts that are not pods, the members that take part in direct
 * routes, and the MTU of pods. `podMtuBytes` is null if the cluster uses tunnels between pods; the rows then publish no
 * MTU.
 */
export function planListener(
  record: OverlayRecord,
  chassis: readonly OverlayChassis[],
  { pki }: OverlayPlaces,
  rows: DatabaseRows,
  members: readonly OverlayNode[],
  podMtuBytes: number | null,
): OverlayPlan {
  const connections = record.southbound.map((remote) => ({
    target: remote.replace(/^ssl:(.*):(\d+)$/, 'pssl:$2:$1'),
    role: 'ovn-controller' as const,
    inactivityProbeMs,
  }));
  const authorities = readOwnAuthority(pki);
  const published = {
    ...(authorities !== null && publishedIds(authorities, answeredRequests(record, chassis, pki))),
    ...publishedPeers(record.peers ?? []),
    ...publishedPorts(record.ports ?? []),
    ...publishedDirect(directNodes(record.layout, members)),
    ...publishedPodMtu(podMtuBytes),
  };
  return planCentral({ owner: record.layout.owner, connections, tls: tlsFiles(pki), published, rows });
}
