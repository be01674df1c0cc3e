import type { OverlayGateway } from '../../model/overlay.ts';
import type { DatabaseRow, DatabaseRows } from '../../model/rows.ts';
import { subnetOf } from '../addresses.ts';
import { servicesInside } from '../cluster/services-inside.ts';
import { gatewayNames, nodeNames, patchNames } from '../overlay-names.ts';
import { indexRows, listOf, mapOf, type RowIndex, textOf } from '../rows/row-index.ts';
import { clusterRouterOf } from '../rows/row-ownership.ts';
import { tagKeys } from '../rows/tag-keys.ts';
import { nodeTag } from '../rows/tags.ts';
import { networkOf } from './own-gateway.ts';

/** Node as its rows in layout `seed` describe it. Nothing else describes a node of that layout. */
export interface NodeFromRows {
  readonly subnets: readonly string[];
  /** Service ranges whose packets the node's switch keeps inside of the cluster. */
  readonly serviceSubnets: readonly string[];
  /** MAC of the node's management port; null if the node has no such port yet. */
  readonly managementMac: string | null;
  readonly gateway: OverlayGateway | null;
  /**
   * True if the node's own Open vSwitch has the port between br-int and the gateway's bridge; false if the port is
   * lost, or if the node has no gateway.
   */
  readonly isGatewayCarried: boolean;
}

/** Reads a node from the rows of OVN_Northbound and of its own Open_vSwitch. */
export function nodeFromRows(northbound: DatabaseRows, local: DatabaseRows, name: string, owner: string): NodeFromRows {
  const rows = indexRows(northbound);
  const { onRouter, management } = nodeNames(name);
  const networks = listOf(rows.named('Logical_Router_Port', onRouter), 'networks').map(String);
  const [place = ''] = listOf(rows.named('Logical_Switch_Port', management), 'addresses').map(String);
  const [mac] = /^([0-9a-f]{2}:){5}[0-9a-f]{2}(?= )/i.exec(place) ?? [];
  const uplink = uplinkOf(rows, name);
  const bridge = uplink === null ? null : bridgeOf(indexRows(local), uplink);
  return {
    subnets: networks.map(subnetOf),
    serviceSubnets: servicesInside(rows, rows.named('Logical_Switch', name), owner),
    managementMac: mac?.toLowerCase() ?? null,
    gateway: uplink === null ? null : gatewayThere(rows, name, uplink, bridge, owner),
    isGatewayCarried: bridge !== null,
  };
}

/**
 * Returns the port that connects the outside switch with the NIC, for example `breth0_n1`; null if the node has no
 * gateway.
 */
function uplinkOf(rows: RowIndex, name: string): string | null {
  const outside = rows.named('Logical_Switch', gatewayNames(name).outside);
  const names = rows.referred(outside, 'ports', 'Logical_Switch_Port').map((port) => textOf(port, 'name'));
  return names.find((port) => port.endsWith(`_${name}`) && port !== gatewayNames(name).onSwitch) ?? null;
}

/**
 * Returns the bridge to which the patch port of a gateway leads from br-int; null if br-int has no such port, or if the
 * bridge does not exist.
 */
function bridgeOf(local: RowIndex, uplink: string): string | null {
  const port = local.all('Interface').find((row) => mapOf(row, 'external_ids')['iface-id'] === uplink);
  const bridges = local.all('Bridge').map((row) => textOf(row, 'name'));
  return bridges.find((bridge) => patchNames(bridge).inside === port?.name) ?? null;
}

function gatewayThere(
  rows: RowIndex,
  name: string,
  uplink: string,
  bridge: string | null,
  owner: string,
): OverlayGateway | null {
  const { router, onRouter } = gatewayNames(name);
  const port = rows.named('Logical_Router_Port', onRouter);
  if (port === null) return null;
  const device = uplink.slice(0, -name.length - 1);
  const isShared = bridge === null || bridge === device;
  const way = { bridge: bridge ?? device, interface: isShared ? null : device };
  return {
    ...way,
    kind: isShared ? 'shared' : 'dedicated',
    physicalNetwork: networkOf(way),
    mac: textOf(port, 'mac'),
    addresses: listOf(port, 'networks').map(String),
    nextHops: routesOf(rows, rows.named('Logical_Router', router))
      .filter((row) => textOf(row, 'output_port') === onRouter)
      .map((row) => textOf(row, 'nexthop')),
    vlan: null,
    subnets: routesOf(rows, clusterRouterOf(rows))
      .filter((row) => nodeTag(row, owner) === name && tagKeys.asked in mapOf(row, 'external_ids'))
      .map((row) => textOf(row, 'ip_prefix')),
    isUp: true,
  };
}

function routesOf(rows: RowIndex, router: DatabaseRow | null): readonly DatabaseRow[] {
  return rows.referred(router, 'static_routes', 'Logical_Router_Static_Route');
}
