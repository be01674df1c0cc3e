import { basename, dirname } from 'node:path';
import { onFileEvent } from '../../../drivers/host/files/file-events.ts';
import { followChanges } from '../../../drivers/ovn/changes.ts';
import { centralSocket } from '../../../drivers/ovn/database.ts';
import { asAgentError } from '../../../errors.ts';
import { readHost } from '../../../facts/overlay-host.ts';
import type { OutsideRoutes } from '../../../model/outside-routes.ts';
import type { OverlayChassis, OverlayNode } from '../../../model/overlay.ts';
import { recordNow } from '../../../overlay/gateway/own-gateway.ts';
import { withPeerClients } from '../../../overlay/gateway/peer-routes.ts';
import { outsideRoutes } from '../../../overlay/gateway/routes-to-pods.ts';
import { judgeGateways } from '../../../overlay/members/heartbeat.ts';
import { membersNow } from '../../../overlay/members/members.ts';
import { overlayTables } from '../../../overlay/rows/overlay-tables.ts';
import { createEventBatch } from '../loop/event-batch.ts';
import { readRows } from '../ovn/database-rows.ts';
import { readDaemon } from '../record/daemon-state.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { type CentralRecord, readRecord, requireCentral } from '../record/record.ts';
import { openCentral } from './planned-node.ts';
import { chassisOf } from './southbound-rows.ts';

/**
 * Returns the routes by which outside clients, including the hosts of peers, reach the pods of the cluster. Runs on the
 * central node.
 */
export async function readOutsideRoutes(places: OverlayPlaces): Promise<OutsideRoutes> {
  const central = requireCentral(places.record);
  const { members } = await readMembers(central, places);
  return outsideRoutes(central.layout, withPeerClients(members, central.peers ?? []));
}

/** Returns the members with their present gateways and the outside clients that they permit, and the chassis. */
export async function readMembers(
  central: CentralRecord,
  places: OverlayPlaces,
): Promise<{ readonly members: readonly OverlayNode[]; readonly chassis: readonly OverlayChassis[] }> {
  const { layout, node } = recordNow(central, readHost());
  const southbound = await openCentral('OVN_Southbound', places);
  const rows = await readRows(southbound, overlayTables.OVN_Southbound).finally(() => southbound.close());
  const { outsideClients } = places;
  // The outside clients of the central node are those of its ovn.yaml; other nodes announce their clients.
  const own = { ...node, ...(outsideClients.length > 0 && { outsideClients }) };
  const chassis = chassisOf(rows);
  const { nodes } = membersNow(layout, own, central.members, chassis);
  return { members: judgeGateways(nodes, readDaemon(places.daemon)?.asked ?? [], rows), chassis };
}

/**
 * Calls `show` with the routes now and after each change, until `stop` is aborted. Fails if the first read fails, or
 * when this node is no longer the central node of an overlay. Reports other failures once with `say`, and reads again
 * after the next event.
 */
export async function followOutsideRoutes(
  places: OverlayPlaces,
  show: (routes: OutsideRoutes) => void,
  say: (message: string) => void,
  stop: AbortSignal,
): Promise<void> {
  let last = '';
  let fault: string | null = null;
  const look = async (): Promise<void> => {
    const found = await readOutsideRoutes(places);
    fault = null;
    const text = JSON.stringify(found);
    if (text === last || stop.aborted) return;
    last = text;
    show(found);
  };
  await look();
  const ends: (() => void)[] = [];
  await new Promise<void>((resolve, reject) => {
    let looks = Promise.resolve();
    const failed = (thrown: unknown): void => {
      const { message } = asAgentError(thrown);
      if ((readRecord(places.record)?.members ?? null) === null) reject(thrown);
      else if (message !== fault) say(message);
      fault = message;
    };
    const events = createEventBatch(() => {
      looks = looks.then(look).catch(failed);
    });
    const socket = centralSocket('OVN_Southbound', places.ovnRuns);
    ends.push(
      events.close,
      followChanges({ database: 'OVN_Southbound', remote: `unix:${socket}`, requests: chassisRequests }, events.ask),
      // Two files are followed: the record, which contains the members, and the state of the daemon, which contains the
      // values of nb_cfg by which a gateway is found to be down.
      ...[places.record, places.daemon].map((file) =>
        onFileEvent(dirname(file), (name) => name.startsWith(basename(file)), events.ask),
      ),
    );
    stop.addEventListener('abort', () => resolve());
    if (stop.aborted) resolve();
  }).finally(() => {
    for (const end of ends) end();
  });
}

/**
 * Returns the monitor requests for the tables Chassis, in which nodes register, and Chassis_Private, in which they
 * report nb_cfg. OVN before 20.09 has no Chassis_Private.
 */
function chassisRequests(schema: { readonly tables?: unknown }): Readonly<Record<string, unknown>> {
  const tables = Object.keys((schema.tables ?? {}) as object);
  const wanted = ['Chassis', 'Chassis_Private'].filter((table) => tables.includes(table));
  return Object.fromEntries(wanted.map((table) => [table, [{ select: { initial: false } }]]));
}
