import { openNorthbound, openSouthbound, type RowDatabase } from '../../../drivers/ovn/database.ts';
import { AgentError } from '../../../errors.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { NodeWords } from '../../../model/ovn-k8s.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import type { InboundService, SharedBridgeChange } from '../../../model/shared-bridge.ts';
import { nodeFromRows } from '../../../overlay/gateway/node-from-rows.ts';
import { switchSettings } from '../../../overlay/local/switch-settings.ts';
import { gatewayNames, patchNames } from '../../../overlay/overlay-names.ts';
import { overlayTables } from '../../../overlay/rows/overlay-tables.ts';
import { indexRows, listOf, mapOf, textOf } from '../../../overlay/rows/row-index.ts';
import { inboundServices, serviceTables } from '../../../overlay/services/inbound-services.ts';
import { overlayOwner } from '../node/membership.ts';
import { applySharedFlows, sharedGateway } from '../node/shared-flows.ts';
import { readRows } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { readSystemId } from '../record/system-id.ts';
import { credentialsOf, explained } from './ovn-credentials.ts';

/** Node and gateway that share a bridge, as their rows describe them, with the inbound services of the gateway. */
export interface SharedBridge {
  readonly record: OverlayRecord;
  readonly services: readonly InboundService[];
}

/**
 * Installs the shared-bridge flows of a node and its gateway, with the inbound services. Removes the flows of a node
 * whose gateway shares no bridge with it.
 */
export async function applyShared(
  record: OverlayRecord,
  words: Partial<NodeWords>,
  places: OverlayPlaces,
  local: RowDatabase,
  say: (line: string) => void,
): Promise<readonly SharedBridgeChange[]> {
  return applySharedFlows(record, places, local, { services: await servicesOf(record, words) }, say);
}

async function servicesOf(record: OverlayRecord, words: Partial<NodeWords>): Promise<readonly InboundService[]> {
  const gateway = sharedGateway(record);
  if (gateway === null) return [];
  const { layout, node, southbound: remotes } = record;
  const southbound = await openSouthbound(remotes, credentialsOf(remotes, 'southbound', words)).catch(explained);
  const rows = await readRows(southbound, serviceTables).finally(() => southbound.close());
  return inboundServices(layout, node, gateway, rows);
}

/**
 * Reads from the rows of OVN_Northbound and Open_vSwitch which node and gateway share a bridge. Fails with `bad-usage`
 * if no gateway uses the bridge, or if the NIC is not a port of the bridge.
 */
export async function readSharedBridge(
  bridge: string,
  nic: string,
  places: OverlayPlaces,
  local: RowDatabase,
): Promise<SharedBridge> {
  const rows = await readRows(local, overlayTables.Open_vSwitch);
  const name = nodeOf(rows, bridge, nic);
  const settings = switchSettings(rows, readSystemId(places.systemId));
  const remotes = settings.northbound;
  const northbound = await openNorthbound(remotes, credentialsOf(remotes, 'northbound', {})).catch(explained);
  const above = await readRows(northbound, overlayTables.OVN_Northbound).finally(() => northbound.close());
  const { encap, systemId, southbound } = settings;
  const there = nodeFromRows(above, rows, name, overlayOwner);
  const node = { ...there, name, id: 1, systemId, encap, hostAddresses: encap.addresses };
  const layout = {
    naming: 'seed',
    clusterSubnets: translated(above, name),
    serviceSubnets: there.serviceSubnets,
    joinSubnets: [],
    mtu: 0,
    owner: overlayOwner,
  } as const;
  const record: OverlayRecord = { format: 1, layout, southbound, node, members: null };
  return { record, services: await servicesOf(record, {}) };
}

/**
 * Returns the name of the node whose gateway uses a bridge. The name is read from the `iface-id` of the bridge's patch
 * port, which is `BRIDGE_NODE`.
 */
function nodeOf(rows: DatabaseRows, bridge: string, nic: string): string {
  const existing = indexRows(rows);
  const uplink = mapOf(existing.named('Interface', patchNames(bridge).inside), 'external_ids')['iface-id'] ?? '';
  if (!uplink.startsWith(`${bridge}_`)) {
    throw new AgentError('bad-usage', `no gateway of this node leaves by ${bridge}`, {
      hint: `make it one first: ovn-k8s-overlay gateway-init --bridge-interface ${bridge}`,
    });
  }
  const ports = existing.referred(existing.named('Bridge', bridge), 'ports', 'Port').map((row) => textOf(row, 'name'));
  if (!ports.includes(nic)) {
    throw new AgentError('bad-usage', `${nic} is not in ${bridge}`, {
      hint: `name the NIC in it, one of: ${ports.filter((port) => port !== bridge).join(', ')}`,
    });
  }
  return uplink.slice(bridge.length + 1);
}

/** Returns the subnets of the cluster, which are the logical addresses in the NAT rows of the gateway. */
function translated(northbound: DatabaseRows, name: string): readonly string[] {
  const existing = indexRows(northbound);
  const router = existing.named('Logical_Router', gatewayNames(name).router);
  return existing.referred(router, 'nat', 'NAT').flatMap((row) => listOf(row, 'logical_ip').map(String));
}
