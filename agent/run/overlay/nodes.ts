import { answersPing } from '../../drivers/host/reachability.ts';
import { askNextNumber, type RowDatabase } from '../../drivers/ovn/database.ts';
import { isAgentError } from '../../errors.ts';
import type { OverlayNode } from '../../model/overlay.ts';
import type { OverlayTunnel } from '../../model/overlay-daemon.ts';
import type { ChassisEcho, NodeState, NodeTunnel } from '../../model/overlay-plan.ts';
import type { OverlayRecord } from '../../model/overlay-record.ts';
import type { DatabaseRows } from '../../model/rows.ts';
import { withoutLength } from '../../overlay/addresses.ts';
import { echoOf } from '../../overlay/heartbeat.ts';
import { managementAddresses } from '../../overlay/node.ts';
import { tunnelMissing, tunnelsOf } from '../../overlay/tunnels.ts';
import { listCertificates } from './authority.ts';
import type { OverlayPlaces } from './places.ts';
import { ownDevice, type PlannedDatabase, withPlan } from './planned.ts';
import { requireCentral } from './record.ts';
import { readRows } from './rows.ts';

/** A day, in which the validity of a certificate is told. */
const dayMs = 86_400_000;
/** A node answers within milliseconds; the whole list waits for one that does not. */
const answerMs = 2_000;

/** The nodes of the cluster, and whether each has joined, answers, and is reached. On the central node. Asks each now, and waits no longer than 2 s. */
export async function listNodes(places: OverlayPlaces, now: number): Promise<readonly NodeState[]> {
  const record = requireCentral(places.record);
  const certificates = listCertificates(places.pki);
  return withPlan(record, places, async ({ chassis, members, databases }) => {
    const [northbound, southbound, local] = ['OVN_Northbound', 'OVN_Southbound', 'Open_vSwitch'].map((name) =>
      databases.find(({ database }) => database.name === name),
    );
    if (northbound === undefined || southbound === undefined || local === undefined)
      throw new Error('a central node has all three databases');
    const tunnels = tunnelsOf(local.rows);
    const [echoes, reached] = await Promise.all([
      echoesOf(record.members, northbound.database, southbound),
      Promise.all(record.members.map((member) => tunnelTo(member, record, southbound.rows, tunnels))),
    ]);
    return record.members.map(({ name, subnets, systemId }, index) => {
      const found = chassis.find((one) => one.name === systemId);
      const isHere = name === record.node.name;
      const gateway = members.find((one) => one.name === name)?.gateway ?? null;
      const certificate = certificates.find((one) => one.name === (isHere ? 'this node' : name));
      return {
        name,
        subnets,
        systemId,
        addresses: [...new Set(found?.encaps.map(({ address }) => address))],
        tunnel: reached[index] ?? null,
        echo: echoes[index] ?? null,
        state: found === undefined ? 'not joined' : isHere ? 'here' : 'joined',
        gateway: gateway && { bridge: gateway.bridge, addresses: gateway.addresses, isUp: gateway.isUp },
        certificateDays: certificate === undefined ? null : daysUntil(certificate.notAfter, now),
      };
    });
  });
}

/** Asks each chassis for an answer, and waits until all have given it. Nobody is asked before OVN 20.09, which has no place for answers. */
async function echoesOf(
  members: readonly OverlayNode[],
  northbound: RowDatabase,
  { database, rows }: PlannedDatabase,
): Promise<readonly (ChassisEcho | null)[]> {
  const registered = (rows.tables.Chassis_Private ?? []).map(({ name }) => name);
  if (registered.length === 0) return [];
  const asked = await askNextNumber(northbound);
  const awaited = members.filter(({ systemId }) => registered.includes(systemId));
  await Promise.all(
    awaited.map(({ systemId }) => {
      const where = [
        ['name', '==', systemId],
        ['nb_cfg', '>=', asked],
      ] as const;
      return database.appears({ table: 'Chassis_Private', where }, answerMs);
    }),
  );
  const after = await readRows(database, ['Chassis_Private']);
  return members.map(({ systemId }) => echoOf(systemId, asked, after));
}

/** How another node is reached: what is in its way by the rows, else by whether it answers through the tunnel. null: it is this one. */
async function tunnelTo(
  member: OverlayNode,
  record: OverlayRecord,
  southbound: DatabaseRows,
  tunnels: readonly OverlayTunnel[],
): Promise<NodeTunnel | null> {
  const { node } = record;
  const { systemId } = member;
  if (member.name === node.name) return null;
  const ends = { from: node.systemId, to: systemId, addresses: member.encap.addresses };
  const missing = tunnelMissing(ends, southbound);
  if (missing !== null) return { port: null, state: 'down', reason: missing };
  const ports = tunnels.filter(({ chassis }) => chassis === systemId);
  const tunnel = ports.find(({ fault }) => fault === null) ?? ports[0];
  if (tunnel === undefined) return { port: null, state: 'down', reason: 'ovn-controller has not made it' };
  const { interface: port, fault } = tunnel;
  if (fault !== null) return { port, state: 'down', reason: fault };
  const [own] = managementAddresses(member);
  if (own === undefined || node.subnets.length === 0)
    return { port, state: 'unproven', reason: 'one of the two has no address to ask' };
  const address = withoutLength(own);
  const answers = await answersPing(address, ownDevice(record), answerMs).catch((error: unknown) => {
    if (isAgentError(error) && error.kind === 'command-missing') return null;
    throw error;
  });
  if (answers === null) return { port, state: 'unproven', reason: 'ping is missing' };
  if (answers) return { port, state: 'up', reason: null };
  return { port, state: 'down', reason: `${address} does not answer through it` };
}

/** Days until then, rounded; below zero: it was before. */
export function daysUntil(date: string, now: number): number {
  return Math.round((Date.parse(date) - now) / dayMs);
}
