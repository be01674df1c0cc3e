import { AgentError } from '../../errors.ts';
import type { CentralFacts, OverlayPlan } from '../../model/overlay.ts';
import { directKey, podMtuKey } from '../members/announced-direct.ts';
import { isPublishedKey } from '../members/renewal.ts';
import { peersKey } from '../peers/published-peers.ts';
import { portsKey } from '../ports/published-ports.ts';
import { is, keys } from '../rows/column-changes.ts';
import { createDesiredRows, type DesiredRows, foundIn, type PlannedRow } from '../rows/desired-rows.ts';
import { mapOf, textOf } from '../rows/row-index.ts';
import { isOwnedBy } from '../rows/tags.ts';

/** Plans the listeners, certificates and published data of a central database. Listeners of other programs stay. */
export function planCentral(facts: CentralFacts): OverlayPlan {
  const { owner, connections, tls, published = {}, rows } = facts;
  const desired = createDesiredRows(foundIn(rows), owner);
  const table = rows.database === 'OVN_Southbound' ? 'SB_Global' : 'NB_Global';
  const root = desired.existing.all(table)[0] ?? null;
  if (root === null) {
    throw new AgentError('overlay-conflict', `${rows.database} is not set up, it has no row in ${table}`, {
      hint: 'start ovn-northd, which makes it',
    });
  }
  const global: PlannedRow = { table, title: table, reference: root._uuid, existing: root };
  if (tls !== null) addTls(desired, global, tls, owner);
  if (rows.database === 'OVN_Southbound') {
    const staleKeys = Object.keys(mapOf(root, 'external_ids')).filter(
      (key) => (isPublishedKey(key) || [peersKey, portsKey, directKey, podMtuKey].includes(key)) && !(key in published),
    );
    desired.add({
      ...global,
      columns: { external_ids: { keys: published, without: staleKeys } },
      isShared: true,
      why: 'members read their renewed certificates, the peers, their ports, the nodes with direct routes and the MTU of pods in this row',
    });
  }
  for (const { target, role, inactivityProbeMs } of connections) {
    desired.add({
      table: 'Connection',
      title: target,
      existing: desired.existing.all('Connection').find((row) => row.target === target) ?? null,
      columns: {
        target: is(target),
        inactivity_probe: is([inactivityProbeMs]),
        ...(role !== null && { role: is(role) }),
      },
      place: { row: global, column: 'connections' },
      why:
        role === null
          ? 'other nodes write their rows over this listener'
          : `nodes connect to this listener, and may write the rows that the role ${role} permits`,
    });
  }
  for (const row of desired.existing.all('Connection').filter((entry) => isOwnedBy(entry, owner)))
    if (!desired.isPlanned(row))
      desired.remove('Connection', row, textOf(row, 'target'), 'the configuration has no such listener any more');
  if (tls === null)
    for (const row of desired.existing.all('SSL').filter((entry) => isOwnedBy(entry, owner)))
      desired.remove('SSL', row, 'certificates', 'the database does not use TLS any more');
  return { database: rows.database, guards: desired.guards, changes: desired.changes, trace: desired.trace };
}

function addTls(desired: DesiredRows, global: PlannedRow, tls: NonNullable<CentralFacts['tls']>, owner: string): void {
  const existing = desired.existing.all('SSL')[0] ?? null;
  const files = { private_key: tls.privateKey, certificate: tls.certificate, ca_cert: tls.caCertificate };
  const isSame = Object.entries(files).every(([column, file]) => textOf(existing, column) === file);
  if (existing !== null && !isOwnedBy(existing, owner) && !isSame) {
    const message = `the database uses the certificate ${textOf(existing, 'certificate')}, which is not that of the overlay`;
    throw new AgentError('overlay-conflict', message, {
      hint: 'remove it yourself, because its clients lose their connection: ovn-nbctl del-ssl, ovn-sbctl del-ssl',
    });
  }
  desired.add({
    table: 'SSL',
    title: 'certificates',
    existing,
    columns: {
      private_key: is(tls.privateKey),
      certificate: is(tls.certificate),
      ca_cert: is(tls.caCertificate),
      external_ids: keys({}),
    },
    place: { row: global, column: 'ssl' },
    why: 'the database identifies its clients by certificates of the cluster',
  });
}
