import type { NodeState } from '../../model/overlay-plan.ts';
import type { DatabaseRows } from '../../model/rows.ts';
import { echoOf } from '../../overlay/heartbeat.ts';
import { listCertificates } from './authority.ts';
import type { OverlayPlaces } from './places.ts';
import { withPlan } from './planned.ts';
import { requireCentral } from './record.ts';
import { tunnelsOf } from './status.ts';

/** A day, in which the validity of a certificate is told. */
const dayMs = 86_400_000;

/** The nodes of the cluster, and whether each has joined. On the central node. */
export async function listNodes(places: OverlayPlaces, now: number): Promise<readonly NodeState[]> {
  const record = requireCentral(places.record);
  const certificates = listCertificates(places.pki);
  return withPlan(record, places, async ({ chassis, members, databases }) => {
    const rowsOf = (database: string): DatabaseRows | undefined =>
      databases.find((one) => one.database.name === database)?.rows;
    const [southbound, local] = [rowsOf('OVN_Southbound'), rowsOf('Open_vSwitch')];
    const tunnels = local === undefined ? [] : tunnelsOf(local);
    return record.members.map(({ name, subnets, systemId }) => {
      const found = chassis.find((one) => one.name === systemId);
      const isHere = name === record.node.name;
      const gateway = members.find((one) => one.name === name)?.gateway ?? null;
      const certificate = certificates.find((one) => one.name === (isHere ? 'this node' : name));
      return {
        name,
        subnets,
        systemId,
        addresses: found?.encapAddresses ?? [],
        tunnel: tunnels.find((one) => one.chassis === systemId)?.interface ?? null,
        echo: southbound === undefined ? null : echoOf(systemId, southbound),
        state: found === undefined ? 'not joined' : isHere ? 'here' : 'joined',
        gateway: gateway && { bridge: gateway.bridge, addresses: gateway.addresses, isUp: gateway.isUp },
        certificateDays: certificate === undefined ? null : daysUntil(certificate.notAfter, now),
      };
    });
  });
}

/** Days until then, rounded; below zero: it was before. */
export function daysUntil(date: string, now: number): number {
  return Math.round((Date.parse(date) - now) / dayMs);
}
