import { onFileEvent } from '../../../drivers/host/files/file-events.ts';
import { followKernel, monitorEnded } from '../../../drivers/host/kernel/kernel-events.ts';
import { followChanges } from '../../../drivers/ovn/changes.ts';
import { centralSocket } from '../../../drivers/ovn/database.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { integrationBridge } from '../../../overlay/local/bridge-rows.ts';
import { uplinkPort } from '../../../overlay/overlay-names.ts';
import { type FollowedDatabase, followedTables, isMoreThanZones } from '../../../overlay/rows/followed.ts';
import { followedColumns } from '../../../overlay/rows/overlay-tables.ts';
import { shapeOfSchema } from '../../../overlay/rows/wire.ts';
import { clusterPort } from '../../../overlay/services/shared-ports.ts';
import type { Scope } from '../loop/work.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { followListeners } from './listener-watch.ts';
import { type Answered, followServices } from './service-watch.ts';

/** Functions that the watches call after events. */
export interface Listener {
  /** Function that is called after any change of links, addresses or routes of the kernel. */
  onKernel(): void;
  /**
   * Function that is called after an event. The scope says whether the node is changed only after a comparison has
   * found a difference (`look`), or in any case (`all`).
   */
  onEvent(scope: Scope): void;
  /**
   * Function that is called with SB_Global.external_ids after a change. The central node publishes data for its members
   * in this column.
   */
  onPublished(ids: Readonly<Record<string, string>>): void;
  /**
   * Function that is called with the addresses for which this node's gateway answers on its LAN, and with the addresses
   * for which other gateways or nodes answer.
   */
  onAnswered(addresses: Answered): void;
  /** Function that is called when events of the kernel no longer arrive. */
  onBroken(error: Error): void;
}

/**
 * Follows the databases, kernel events and listening sockets on which a node's part in the cluster depends, until the
 * returned function is called. `followInbound` follows the inbound services of the node.
 */
export async function startWatches(
  record: OverlayRecord,
  places: OverlayPlaces,
  { onKernel, onEvent, onPublished, onAnswered, onBroken }: Listener,
  followInbound: typeof followServices = followServices,
): Promise<() => void> {
  const stopKernel = await followKernel(onKernel, () => onBroken(monitorEnded()));
  const { layout, node } = record;
  const { owner, naming } = layout;
  const { gateway } = node;
  const followedGateway = gateway && {
    localnetPort: uplinkPort(naming, node.name, gateway),
    clusterPort: clusterPort(layout, node.name, gateway),
    mac: gateway.mac,
  };
  const follow = (database: FollowedDatabase, remote: string, onChange: () => void): (() => void) => {
    const requests = (schema: unknown) =>
      requestsOf(
        followedTables(
          database,
          shapeOfSchema(schema as Parameters<typeof shapeOfSchema>[0], Object.keys(followedColumns[database])),
          owner,
          followedGateway,
        ),
      );
    return followChanges({ database, remote, requests, isNews: isMoreThanZones }, onChange);
  };

  let stopFiles = (): void => undefined;
  const local = follow('Open_vSwitch', `unix:${places.ovsRun}/db.sock`, () => {
    // A restart of Open vSwitch may have created its run directory again, so the directory is watched again.
    stopFiles();
    stopFiles = onSwitchRestart(record, places, () => onEvent('all'));
    onEvent('look');
  });
  const central = (['OVN_Northbound', 'OVN_Southbound'] as const).flatMap((database) => {
    const socket = record.members === null ? null : centralSocket(database, places.ovnRuns);
    return socket === null ? [] : [follow(database, `unix:${socket}`, () => onEvent('look'))];
  });
  const services = followInbound(record, places, () => onEvent('look'), onPublished, onAnswered);
  const listeners = followListeners(places, () => onEvent('look'));
  return () => {
    stopKernel();
    stopFiles();
    for (const stop of [local, services, listeners, ...central]) stop();
  };
}

/**
 * Calls `onRestart` after a restart of ovs-vswitchd, which loses all flows. A restart is recognized by the files that
 * ovs-vswitchd creates again in the run directory, because the database of Open vSwitch does not show a restart.
 */
function onSwitchRestart({ node }: OverlayRecord, { ovsRun }: OverlayPlaces, onRestart: () => void): () => void {
  const bridges = [integrationBridge, ...(node.gateway === null ? [] : [node.gateway.bridge])];
  const names = ['ovs-vswitchd.pid', ...bridges.map((bridge) => `${bridge}.mgmt`)];
  return onFileEvent(ovsRun, (name) => names.includes(name), onRestart);
}

function requestsOf(tables: ReturnType<typeof followedTables>): Readonly<Record<string, unknown>> {
  const select = { initial: false };
  return Object.fromEntries(Object.entries(tables).map(([table, one]) => [table, [{ ...one, select }]]));
}
