import { readSmallFile, replaceFile } from '../../../drivers/host/files/files.ts';
import { isAgentError } from '../../../errors.ts';
import type { DirectNode } from '../../../model/direct-node.ts';
import type { OverlayPeer } from '../../../model/overlay-peer.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import type { InboundService, SharedBridgeChange } from '../../../model/shared-bridge.ts';
import { directNodeOf } from '../../../overlay/direct/direct-nodes.ts';
import { publishedBeside } from '../../../overlay/direct/published-direct.ts';
import { clientsOfPeers } from '../../../overlay/peers/peer-ways.ts';
import { peersIn } from '../../../overlay/peers/published-peers.ts';
import { indexRows, mapOf } from '../../../overlay/rows/row-index.ts';
import { inboundServices, serviceTables } from '../../../overlay/services/inbound-services.ts';
import { readRows } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';
import type { PlannedNode } from './planned-node.ts';
import { applySharedFlows, compareSharedFlows, hasClusterPort, sharedGateway } from './shared-flows.ts';
import { withSouthbound } from './southbound.ts';

/** Size limit, in bytes, of the file that stores the services; ten thousand services take half of it. */
const rememberedBytes = 64 * 1024 * 1024;

/**
 * Limit for ovn-controller to add its port to the shared bridge. ovn-controller takes milliseconds, so the limit is
 * only reached if ovn-controller does not work.
 */
const portMs = 5_000;

/**
 * Inbound services of this node, the peers that its gateway reaches, and the nodes that it could reach by direct
 * routes, as the central node publishes them.
 */
export interface Inbound {
  readonly services: readonly InboundService[];
  readonly peers: readonly OverlayPeer[];
  /** Nodes on the LAN that take part in direct routes; empty if this node does not take part. */
  readonly direct: readonly DirectNode[];
}

/**
 * Returns the differences in the flows and the nftables table of inbound services, or the fault that prevents the
 * comparison. Changes nothing.
 */
export async function sharedFlowDrift(
  planned: PlannedNode,
): Promise<{ readonly demux: readonly SharedBridgeChange[]; readonly faults: readonly string[] }> {
  const { record, places, local } = planned;
  const inbound = await inboundNowOrLast(planned);
  const { changes, fault } = await compareSharedFlows(record, places, local.database, inbound);
  return { demux: changes, faults: fault === null ? [] : [fault] };
}

/**
 * Restores the flows and the nftables table of inbound services in a rollback. Proves nothing: if ovn-controller has
 * removed its port, the daemon restores the flows when the port exists again.
 */
export async function rollBackInbound(planned: PlannedNode): Promise<void> {
  const { record, places, local } = planned;
  const inbound = await inboundNowOrLast(planned);
  remember(inbound, places);
  await hasClusterPort(record, local.database, portMs);
  const { carryOut } = await compareSharedFlows(record, places, local.database, inbound);
  for (const act of carryOut) await act();
}

/**
 * Installs the flows and the nftables table for the services in the southbound database, and stores these services. If
 * the central node does not answer, fails on a node that shares a bridge with its gateway. Any other node then uses the
 * stored services, but only those that it serves itself.
 */
export async function installInbound(
  planned: PlannedNode,
  say: (step: string) => void,
): Promise<readonly SharedBridgeChange[]> {
  const { record, places, local } = planned;
  const read = sharedGateway(record) === null ? inboundNowOrLast : readInbound;
  const inbound = await read(planned);
  remember(inbound, places);
  return applySharedFlows(record, places, local.database, inbound, say);
}

/**
 * Returns true if the services or peers differ from the stored ones, for which the flows and the nftables table were
 * installed.
 */
export function differFromStored(inbound: Inbound, places: Pick<OverlayPlaces, 'services'>): boolean {
  return textOfInbound(inbound) !== (storedServices(places) ?? textOfInbound({ services: [], peers: [], direct: [] }));
}

/**
 * Installs the flows and the nftables table for the stored services, without waiting for the central node. Inbound
 * services therefore work again soon after a restart of ovs-vswitchd. Does nothing if no services were stored since the
 * boot, if no gateway shares a bridge with the node, or if ovn-controller has not added its port to that bridge.
 */
export async function installStoredInbound(
  { record, places, local }: PlannedNode,
  say: (step: string) => void,
): Promise<readonly SharedBridgeChange[]> {
  const inbound = remembered(places);
  if (inbound === null || !(await hasClusterPort(record, local.database))) return [];
  return applySharedFlows(record, places, local.database, inbound, say);
}

function readInbound(planned: PlannedNode): Promise<Inbound> {
  return withSouthbound(planned, async (southbound) =>
    inboundIn(planned.record, await readRows(southbound, [...serviceTables, 'SB_Global'])),
  );
}

/**
 * Returns the inbound services of this node and the peers that its gateway reaches, from rows of the southbound
 * database. Other peers are left out, because the node has no flows for them.
 */
export function inboundIn(record: OverlayRecord, rows: DatabaseRows): Inbound {
  const published = mapOf(indexRows(rows).all('SB_Global')[0] ?? null, 'external_ids');
  return {
    services: inboundServices(record.layout, record.node, sharedGateway(record), rows),
    peers: peersIn(published).filter((peer) => clientsOfPeers([peer], record.node.gateway).length > 0),
    direct: publishedBeside(directNodeOf(record.node), published),
  };
}

/** Returns the stored services and peers as text for a comparison; null if no services were stored since the boot. */
export function storedServices({ services }: Pick<OverlayPlaces, 'services'>): string | null {
  return readSmallFile(services, rememberedBytes);
}

/**
 * Returns the services, the peers and the nodes with direct routes as text, one list per line; empty lists at the end
 * are left out.
 */
function textOfInbound({ services, peers, direct }: Inbound): string {
  const others = direct.length > 0 ? [peers, direct] : peers.length > 0 ? [peers] : [];
  return [services, ...others].map((one) => `${JSON.stringify(one)}\n`).join('');
}

/**
 * Returns the services and peers in the southbound database. If the central node does not answer, returns the stored
 * ones. In that case, a node that shares no bridge with its gateway gets only the services that it serves itself.
 */
function inboundNowOrLast(planned: PlannedNode): Promise<Inbound> {
  return readInbound(planned).catch((error: unknown) => {
    if (!isAgentError(error)) throw error;
    const { services, ...others } = remembered(planned.places) ?? { services: [], peers: [], direct: [] };
    const kept =
      sharedGateway(planned.record) === null ? services.filter(({ isServedHere }) => isServedHere) : services;
    return { services: kept, ...others };
  });
}

function remember(inbound: Inbound, { services: path }: OverlayPlaces): void {
  replaceFile(path, textOfInbound(inbound), 0o600);
}

/** Returns the data that were stored since the boot; null if none were stored. */
function remembered(places: Pick<OverlayPlaces, 'services'>): Inbound | null {
  const text = storedServices(places);
  if (text === null) return null;
  const [services = [], peers = [], direct = []] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return { services, peers, direct };
}

/**
 * Returns the peers that this node's gateway reaches, as they were last read; empty if none were read since the boot.
 */
export function rememberedPeers(places: Pick<OverlayPlaces, 'services'>): readonly OverlayPeer[] {
  return remembered(places)?.peers ?? [];
}

/**
 * Returns the nodes on the LAN that take part in direct routes, as they were last read; empty if none were read since
 * the boot.
 */
export function rememberedDirect(places: Pick<OverlayPlaces, 'services'>): readonly DirectNode[] {
  return remembered(places)?.direct ?? [];
}
