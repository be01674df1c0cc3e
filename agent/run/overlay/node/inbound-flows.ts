import { isAgentError } from '../../../errors.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import type { SharedBridgeChange } from '../../../model/shared-bridge.ts';
import { directNodesOf } from '../../../overlay/direct/direct-nodes.ts';
import { podMtuIn } from '../../../overlay/direct/direct-only.ts';
import { publishedBeside } from '../../../overlay/direct/published-direct.ts';
import { clientsOfPeers } from '../../../overlay/peers/peer-ways.ts';
import { peersIn } from '../../../overlay/peers/published-peers.ts';
import { indexRows, mapOf } from '../../../overlay/rows/row-index.ts';
import { inboundServices, serviceTables } from '../../../overlay/services/inbound-services.ts';
import { readRows } from '../ovn/database-rows.ts';
import type { PlannedNode } from './planned-node.ts';
import { applySharedFlows, compareSharedFlows, hasClusterPort, sharedGateway } from './shared-flows.ts';
import { withSouthbound } from './southbound.ts';
import { type Inbound, noInbound, remember, remembered, rememberedPodMtu } from './stored-inbound.ts';

/**
 * Time limit for ovn-controller to add its port to the shared bridge. ovn-controller takes milliseconds, so the limit
 * is only reached if ovn-controller does not work.
 */
const portMs = 5_000;

/**
 * Returns the differences in the flows and the nftables table of inbound services, or the fault that prevents the
 * comparison. Changes nothing.
 */
export async function sharedFlowDrift(planned: PlannedNode): Promise<{
  readonly demux: readonly SharedBridgeChange[];
  readonly faults: readonly string[];
  /** False if the MTU of pods that the central node publishes differs from the one in the file of stored services. */
  readonly hasStoredMtu: boolean;
}> {
  const { record, places, local } = planned;
  const inbound = await inboundNowOrLast(planned);
  const { changes, fault } = await compareSharedFlows(record, places, local.database, inbound);
  const hasStoredMtu = inbound.podMtuBytes === rememberedPodMtu(places);
  return { demux: changes, faults: fault === null ? [] : [fault], hasStoredMtu };
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
 * the central node does not answer, the function fails on a node that shares a bridge with its gateway. On any other
 * node, it then uses the stored services that this node serves itself.
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
 * Returns the inbound services of this node and the peers that its gateway or the node itself reaches, from rows of the
 * southbound database. Other peers are left out, because the node has no flows for them.
 */
export function inboundIn(record: OverlayRecord, rows: DatabaseRows): Inbound {
  const published = mapOf(indexRows(rows).all('SB_Global')[0] ?? null, 'external_ids');
  return {
    services: inboundServices(record.layout, record.node, sharedGateway(record), rows),
    peers: peersIn(published).filter(
      (peer) => peer.vtep !== undefined || clientsOfPeers([peer], record.node.gateway).length > 0,
    ),
    direct: publishedBeside(directNodesOf(record.node), published),
    podMtuBytes: podMtuIn(published),
  };
}

/**
 * Returns the services and peers in the southbound database. If the central node does not answer, returns the stored
 * ones. In that case, a node that shares no bridge with its gateway gets only the services that it serves itself.
 */
function inboundNowOrLast(planned: PlannedNode): Promise<Inbound> {
  return readInbound(planned).catch((error: unknown) => {
    if (!isAgentError(error)) throw error;
    const { services, ...others } = remembered(planned.places) ?? noInbound;
    const kept =
      sharedGateway(planned.record) === null ? services.filter(({ isServedHere }) => isServedHere) : services;
    return { services: kept, ...others };
  });
}
