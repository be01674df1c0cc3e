import { removeFile } from '../../../drivers/host/files/files.ts';
import { flowsOf } from '../../../drivers/openvswitch/flows.ts';
import type { RowDatabase } from '../../../drivers/ovn/database.ts';
import { AgentError, isAgentError } from '../../../errors.ts';
import type { DirectNode } from '../../../model/direct-node.ts';
import type { OverlayGateway } from '../../../model/overlay.ts';
import type { OverlayPeer } from '../../../model/overlay-peer.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import type { InboundService, SharedBridgeChange } from '../../../model/shared-bridge.ts';
import { isIpv6, withoutLength } from '../../../overlay/addresses.ts';
import { directFlows } from '../../../overlay/direct/direct-flows.ts';
import { directNodesOf } from '../../../overlay/direct/direct-nodes.ts';
import { integrationBridge } from '../../../overlay/local/bridge-rows.ts';
import { clientsOfPeers } from '../../../overlay/peers/peer-ways.ts';
import { overlayTables } from '../../../overlay/rows/overlay-tables.ts';
import { textOf } from '../../../overlay/rows/row-index.ts';
import { hostServices } from '../../../overlay/services/host-services.ts';
import { dedicatedClientFlows, sharedClientFlows } from '../../../overlay/services/outside-clients.ts';
import { dedicatedPeerFlows, sharedPeerFlows, sharedVtepFlows } from '../../../overlay/services/peer-flows.ts';
import { flowCookie, sharedBridgeFlows } from '../../../overlay/services/shared-bridge-flows.ts';
import { clusterPort, sharedPorts } from '../../../overlay/services/shared-ports.ts';
import { readRows } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { asWanted, type Look, lookAtTable } from './nat-table-look.ts';
import { servedHere } from './occupied-places.ts';
import { ownDevice } from './planned-node.ts';
import { withholdNothing } from './withhold.ts';

/**
 * Time limit for ovn-controller to add its port to the shared bridge. ovn-controller adds the port as soon as it has
 * read the rows of the gateway; 60 s allow for a machine that swaps.
 */
const portMs = 60_000;

/** Data from which the flows of a bridge and the nftables table are derived. */
export interface InboundParts {
  readonly services: readonly InboundService[];
  /** Peers of the cluster. Absent if it has none. */
  readonly peers?: readonly OverlayPeer[];
  /** Nodes on the LAN that take part in direct routes. Absent without such nodes. */
  readonly direct?: readonly DirectNode[];
}

/** Returns the gateway that shares a bridge with its node; null if the node has no such gateway. */
export function sharedGateway({ node: { gateway } }: OverlayRecord): OverlayGateway | null {
  return gateway?.kind === 'shared' ? gateway : null;
}

/**
 * Returns true if the shared bridge gets ovn-controller's port within the time limit; null if no gateway shares a
 * bridge with the node.
 */
export async function hasClusterPort(record: OverlayRecord, local: RowDatabase, limitMs = 0): Promise<boolean | null> {
  const gateway = sharedGateway(record);
  if (gateway === null) return null;
  const name = clusterPort(record.layout, record.node.name, gateway);
  const where = [
    ['name', '==', name],
    ['ofport', '!=', ['set', []]],
  ] as const;
  return local.appears({ table: 'Interface', where }, limitMs);
}

/**
 * Returns the differences in the flows of inbound services, and in the nftables table of the node. Changes nothing.
 */
export async function compareSharedFlows(
  record: OverlayRecord,
  places: OverlayPlaces,
  local: RowDatabase,
  { services, peers = [], direct = [] }: InboundParts,
): Promise<Look> {
  const gateway = sharedGateway(record);
  const rows = await readRows(local, overlayTables.Open_vSwitch);
  const bridges = (rows.tables.Bridge ?? []).map((row) => textOf(row, 'name'));
  const others = bridges.filter((name) => name !== integrationBridge && name !== gateway?.bridge);
  // The listening sockets are read again, because a process may have begun to listen at a service's port after the
  // services were stored.
  const served = await servedHere(services, places);
  const looks = [
    ...(gateway === null
      ? []
      : [await lookAtShared(record, gateway, places, rows, { services: served, peers, direct })]),
    ...(await Promise.all(
      others.map((bridge) => lookAtOther(bridge, places, flowsOfOther(record, bridge, places, peers))),
    )),
    await lookAtTable(
      hostServices(
        served,
        ownDevice(record),
        (gateway?.addresses ?? []).map(withoutLength),
        record.node.subnets.some(isIpv6),
      ),
    ),
  ];
  return {
    changes: looks.flatMap(({ changes }) => changes),
    fault: looks.find(({ fault }) => fault !== null)?.fault ?? null,
    carryOut: looks.flatMap(({ carryOut }) => carryOut),
  };
}

async function lookAtShared(
  { layout, node }: OverlayRecord,
  gateway: OverlayGateway,
  places: OverlayPlaces,
  rows: DatabaseRows,
  { services, peers, direct }: Required<InboundParts>,
): Promise<Look> {
  const { bridge } = gateway;
  const ofPeers = clientsOfPeers(peers, gateway);
  const ports = sharedPorts(layout, node.name, gateway, rows);
  if (typeof ports === 'string')
    return {
      changes: [{ do: 'add', what: `flows of ${bridge}`, why: `the flows cannot be added yet: ${ports}` }],
      fault: ports,
      carryOut: [],
    };
  const wanted = [
    ...sharedBridgeFlows(node, gateway, ports, services),
    ...sharedClientFlows(layout, node, gateway, ports, [...places.outsideClients, ...ofPeers]),
    ...sharedPeerFlows(layout, gateway, ports, ofPeers),
    ...sharedVtepFlows(gateway, ports, peers),
    ...directFlows(directNodesOf(node), gateway, ports, direct),
  ].map(({ flow }) => flow);
  const flows = flowsOf(bridge, flowCookie, places.ovsRun);
  const { missing, stale } = await flows.compare(wanted);
  if (missing.length + stale.length === 0) return asWanted;
  return {
    changes: [
      ...stale.map((what) => ({ do: 'remove', what, why: `no gateway on ${bridge} needs this flow` }) as const),
      ...missing.map((what) => ({ do: 'add', what, why: `${bridge} does not have this flow` }) as const),
    ],
    fault: null,
    carryOut: [() => flows.replace(wanted)],
  };
}

/**
 * Returns the flows of the agent for a bridge that the node does not share with its gateway. Only the bridge of a
 * gateway with an address of its own needs such flows.
 */
function flowsOfOther(
  { layout, node }: OverlayRecord,
  bridge: string,
  { outsideClients }: OverlayPlaces,
  peers: readonly OverlayPeer[],
): readonly string[] {
  const { gateway } = node;
  if (gateway?.kind !== 'dedicated' || gateway.bridge !== bridge) return [];
  const ofPeers = clientsOfPeers(peers, gateway);
  return [
    ...dedicatedClientFlows(layout, node, gateway, [...outsideClients, ...ofPeers]),
    ...dedicatedPeerFlows(layout, gateway, ofPeers),
  ].map(({ flow }) => flow);
}

/**
 * Returns the differences in the flows of the agent on another bridge: the bridge of a gateway with an address of its
 * own, or a bridge that the node may have shared with its gateway before. A bridge that does not answer, or does not
 * support OpenFlow bundles, counts as a bridge without flows. That is a fault if the bridge needs flows.
 */
async function lookAtOther(bridge: string, { ovsRun }: OverlayPlaces, wanted: readonly string[]): Promise<Look> {
  const flows = flowsOf(bridge, flowCookie, ovsRun);
  try {
    const { missing, stale } = await flows.compare(wanted);
    if (missing.length + stale.length === 0) return asWanted;
    const changes = [
      ...stale.map((what) => ({ do: 'remove', what, why: `no gateway on ${bridge} needs this flow` }) as const),
      ...missing.map((what) => ({ do: 'add', what, why: `${bridge} does not have this flow` }) as const),
    ];
    return { changes, fault: null, carryOut: [() => flows.replace(wanted)] };
  } catch (error) {
    if (!isAgentError(error)) throw error;
    if (wanted.length === 0) return asWanted;
    const fault = `the flows of ${bridge} could not be read: ${error.message}`;
    return {
      changes: [{ do: 'add', what: `flows of ${bridge}`, why: `the flows cannot be added yet: ${fault}` }],
      fault,
      carryOut: [],
    };
  }
}

/**
 * Brings the flows of a gateway with an address of its own into the desired state, which does not depend on
 * ovn-controller's port. Does nothing on a node without such a gateway. Fails with `proof-failed` if the flows of the
 * bridge cannot be read.
 */
export async function closeToOutsideClients(
  record: OverlayRecord,
  places: OverlayPlaces,
  peers: readonly OverlayPeer[],
): Promise<readonly SharedBridgeChange[]> {
  const { gateway } = record.node;
  if (gateway?.kind !== 'dedicated') return [];
  const { bridge } = gateway;
  const look = await lookAtOther(bridge, places, flowsOfOther(record, bridge, places, peers));
  if (look.fault !== null) throw new AgentError('proof-failed', look.fault, { hint: 'look at `ovs-vsctl show`' });
  for (const act of look.carryOut) await act();
  return look.changes;
}

/**
 * Waits for ovn-controller's port on the shared bridge, and brings the agent's flows and nftables table into the
 * desired state. Writes nothing if nothing differs. Fails with `proof-failed` if the port does not exist at the time
 * limit, or if the flows of a bridge cannot be read.
 */
export async function applySharedFlows(
  record: OverlayRecord,
  places: OverlayPlaces,
  local: RowDatabase,
  inbound: InboundParts,
  say: (step: string) => void,
): Promise<readonly SharedBridgeChange[]> {
  if ((await hasClusterPort(record, local)) === false) {
    say(`waiting up to ${portMs / 1000} s until ovn-controller has connected ${sharedGateway(record)?.bridge}`);
    await hasClusterPort(record, local, portMs);
  }
  const { changes, fault, carryOut } = await compareSharedFlows(record, places, local, inbound);
  if (fault !== null)
    throw new AgentError('proof-failed', fault, {
      hint: 'look at `ovs-vsctl show`, and at /var/log/ovn/ovn-controller.log for what keeps it from making its port',
    });
  if (changes.length > 0) say(`${changes.length} flows and tables of inbound services to change`);
  for (const act of carryOut) await act();
  return changes;
}

/** Removes the agent's flows, nftables table and stored services on a node that leaves its overlay. */
export async function removeSharedFlows(
  record: OverlayRecord,
  places: OverlayPlaces,
  local: RowDatabase,
): Promise<void> {
  const without = { ...record, node: { ...record.node, gateway: null, subnets: [] } };
  await applySharedFlows(without, places, local, { services: [] }, () => undefined);
  if (record.node.gateway !== null) await withholdNothing(record.node.gateway.bridge, places);
  removeFile(places.services);
}
