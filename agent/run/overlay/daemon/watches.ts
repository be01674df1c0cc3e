import { onFileEvent } from '../../../drivers/host/file-events.ts';
import { followKernel, monitorEnded } from '../../../drivers/host/kernel-events.ts';
import { followChanges } from '../../../drivers/ovn/changes.ts';
import { centralSocket } from '../../../drivers/ovn/database.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { integrationBridge } from '../../../overlay/bridges.ts';
import { type FollowedDatabase, followedTables } from '../../../overlay/followed.ts';
import { uplinkPort } from '../../../overlay/names.ts';
import { clusterPort } from '../../../overlay/shared-ports.ts';
import { overlayTables } from '../../../overlay/tables.ts';
import { shapeOfSchema } from '../../../overlay/wire.ts';
import type { OverlayPlaces } from '../places.ts';
import { followListeners } from './listener-watch.ts';
import { followServices } from './service-watch.ts';
import type { Scope } from './work.ts';

/** What is called after an event. */
export interface Listener {
  /** Links, addresses or routes of the kernel, anybody's. */
  onKernel(): void;
  /** Something that calls for a look, or for everything to be put again. */
  onEvent(scope: Scope): void;
  /** Called with the entries that the central node publishes for its members, SB_Global.external_ids, after a change of them. */
  onPublished(ids: Readonly<Record<string, string>>): void;
  /** The outside addresses for which this node's gateway answers on its LAN. */
  onAnnounced(addresses: readonly string[]): void;
  /** The kernel is no longer followed. */
  onBroken(error: Error): void;
}

/** Follows everything that a node's part in the cluster depends on, until the function that it resolves with is called; `followArriving` its services. */
export async function startWatches(
  record: OverlayRecord,
  places: OverlayPlaces,
  { onKernel, onEvent, onPublished, onAnnounced, onBroken }: Listener,
  followArriving: typeof followServices = followServices,
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
          shapeOfSchema(schema as Parameters<typeof shapeOfSchema>[0], overlayTables[database]),
          owner,
          followedGateway,
        ),
      );
    return followChanges({ database, remote, requests }, onChange);
  };

  let stopFiles = (): void => undefined;
  const local = follow('Open_vSwitch', `unix:${places.ovsRun}/db.sock`, () => {
    // A folder that went with the service is another one now.
    stopFiles();
    stopFiles = onSwitchRestart(record, places, () => onEvent('all'));
    onEvent('look');
  });
  const central = (['OVN_Northbound', 'OVN_Southbound'] as const).flatMap((database) => {
    const socket = record.members === null ? null : centralSocket(database, places.ovnRuns);
    return socket === null ? [] : [follow(database, `unix:${socket}`, () => onEvent('look'))];
  });
  const services = followArriving(record, places, () => onEvent('look'), onPublished, onAnnounced);
  const listeners = followListeners(places, () => onEvent('look'));
  return () => {
    stopKernel();
    stopFiles();
    for (const stop of [local, services, listeners, ...central]) stop();
  };
}

/** ovs-vswitchd has its flows from nobody but us after a restart; its database says nothing of one, its files do. */
function onSwitchRestart({ node }: OverlayRecord, { ovsRun }: OverlayPlaces, onRestart: () => void): () => void {
  const bridges = [integrationBridge, ...(node.gateway === null ? [] : [node.gateway.bridge])];
  const names = ['ovs-vswitchd.pid', ...bridges.map((bridge) => `${bridge}.mgmt`)];
  return onFileEvent(ovsRun, (name) => names.includes(name), onRestart);
}

function requestsOf(tables: ReturnType<typeof followedTables>): Readonly<Record<string, unknown>> {
  const select = { initial: false };
  return Object.fromEntries(Object.entries(tables).map(([table, one]) => [table, [{ ...one, select }]]));
}
