import type { OverlayGateway, OverlayLayout } from '../../model/overlay.ts';
import type { DatabaseRow, DatabaseRows } from '../../model/rows.ts';
import type { SharedPorts } from '../../model/shared-bridge.ts';
import { traitsOf } from '../layouts/layouts.ts';
import { uplinkPort } from '../overlay-names.ts';
import { indexRows, listOf, textOf } from '../rows/row-index.ts';

/**
 * Returns the name of the port by which a gateway's bridge leads to br-int (ovn-controller(8), ovn-bridge-mappings). In
 * layout `seed`, the agent adds this port itself.
 */
export function clusterPort(layout: Pick<OverlayLayout, 'naming'>, node: string, gateway: OverlayGateway): string {
  return traitsOf(layout).clusterPort(uplinkPort(layout.naming, node, gateway), gateway.bridge);
}

/**
 * Returns the port numbers of a gateway's bridge from rows of Open_vSwitch; or, as a sentence, the reason why they are
 * unknown.
 */
export function sharedPorts(
  layout: Pick<OverlayLayout, 'naming'>,
  node: string,
  gateway: OverlayGateway,
  rows: DatabaseRows,
): SharedPorts | string {
  const existing = indexRows(rows);
  const bridge = existing.named('Bridge', gateway.bridge);
  if (bridge === null) return `the bridge ${gateway.bridge} does not exist`;
  const name = clusterPort(layout, node, gateway);
  const own = existing
    .referred(bridge, 'ports', 'Port')
    .flatMap((port) => existing.referred(port, 'interfaces', 'Interface'))
    .filter((row) => row.name !== gateway.bridge);
  const cluster = own.find((row) => row.name === name);
  if (cluster === undefined) return `${gateway.bridge} has no port ${name}, which ovn-controller makes`;
  const nic = nicOf(gateway, own);
  if (typeof nic === 'string') return nic;
  const [nicPort, towardsCluster] = [numberOf(nic), numberOf(cluster)];
  if (nicPort === null || towardsCluster === null)
    return `ovs-vswitchd has not made ${textOf(nic, 'name')} and ${name} yet`;
  return { nic: nicPort, cluster: towardsCluster, isAlone: own.length === 2 };
}

/**
 * Returns the row of the NIC among the interfaces of a gateway's bridge. The type of this row is neither `patch` nor
 * `internal`; of several rows with such a type, the only one with the gateway's MAC is the row of the NIC. Returns a
 * sentence with the reason if the NIC is unknown.
 */
function nicOf({ bridge, mac }: OverlayGateway, rows: readonly DatabaseRow[]): DatabaseRow | string {
  const devices = rows.filter((row) => !['patch', 'internal'].includes(textOf(row, 'type')));
  const [first, ...more] = devices;
  if (first === undefined) return `${bridge} has no NIC, so its gateway is unreachable`;
  if (more.length === 0) return first;
  const alike = devices.filter((row) => textOf(row, 'mac_in_use') === mac);
  const [only] = alike;
  if (only !== undefined && alike.length === 1) return only;
  return `of ${devices.map((row) => textOf(row, 'name')).join(', ')} in ${bridge}, the NIC among them is unknown`;
}

/**
 * Returns the OpenFlow port number of an interface; null if ovs-vswitchd has not created the port, or was unable to
 * create it (ovs-vswitchd.conf.db(5), `ofport` -1).
 */
function numberOf(row: DatabaseRow): number | null {
  const [number] = listOf(row, 'ofport');
  return typeof number === 'number' && number > 0 ? number : null;
}
