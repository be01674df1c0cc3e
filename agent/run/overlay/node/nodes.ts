import { answersPing } from '../../../drivers/host/kernel/reachability.ts';
import { askNextNumber, type RowDatabase } from '../../../drivers/ovn/database.ts';
import { isAgentError } from '../../../errors.ts';
import type { OverlayNode } from '../../../model/overlay.ts';
import type { OverlayTunnel } from '../../../model/overlay-daemon.ts';
import type { ChassisEcho, NodeState, NodeTunnel } from '../../../model/overlay-plan.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import { withoutLength } from '../../../overlay/addresses.ts';
import { managementAddresses } from '../../../overlay/cluster/node-rows.ts';
import { tunnelMissing, tunnelsOf } from '../../../overlay/local/tunnels.ts';
import { echoOf } from '../../../overlay/members/heartbeat.ts';
import { listCertificates } from '../certificates/authority.ts';
import { readRows } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { requireCentral } from '../record/record.ts';
import { centralPaths } from './paths-here.ts';
import { ownDevice, type PlannedDatabase, withPlan } from './planned-node.ts';

/** Milliseconds in a day; the remaining validity of a certificate is shown in days. */
const dayMs = 86_400_000;
/**
 * Time limit for the answer of a node, which takes milliseconds. One node that does not answer delays the whole list by
 * this time.
 */
const answerMs = 2_000;

/**
 * Returns the nodes of the cluster, and for each whether it has joined, answers, and is reachable. Runs on the central
 * node. Queries all nodes at the same time and waits at most 2 s for their answers.
 */
export async function listNodes(places: OverlayPlaces, now: number): Promise<readonly NodeState[]> {
  const record = requireCentral(places.record);
  const certificates = listCertificates(places.pki);
  return withPlan(record, places, async ({ chassis, members, databases, direct }) => {
    const [northbound, southbound, local] = ['OVN_Northbound', 'OVN_Southbound', 'Open_vSwitch'].map((name) =>
      databases.find(({ database }) => database.name === name),
    );
    if (northbound === undefined || southbound === undefined || local === undefined)
      throw new Error('a central node has all three databases');
    const tunnels = tunnelsOf(local.rows);
    const paths = centralPaths({ record, members, direct }, places);
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
        paths: paths.filter((path) => path.node === name),
        echo: echoes[index] ?? null,
        state: found === undefined ? 'not joined' : isHere ? 'here' : 'joined',
        gateway: gateway && { bridge: gateway.bridge, addresses: gateway.addresses, isUp: gateway.isUp },
        certificateDays: certificate === undefined ? null : daysUntil(certificate.notAfter, now),
      };
    });
  });
}

/**
 * Increments NB_Global.nb_cfg, and waits at most 2 s until the chassis of each registered member has copied the value.
 * Returns the last answer of each member. Returns an empty list for OVN before 20.09, which has no table
 * Chassis_Private.
 */
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

/**
 * Returns the state of the tunnel to another node; null for this node. If the rows of OVN and Open vSwitch show that
 * the tunnel is missing or down, returns the reason. Otherwise sends an echo request through the tunnel, which is
 * possible only if both nodes have pod subnets.
 */
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

/** Returns the days until a date, rounded; negative if the date has passed. */
export function daysUntil(date: string, now: number): number {
  return Math.round((Date.parse(date) - now) / dayMs);
}
