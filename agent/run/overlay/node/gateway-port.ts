import { openSwitchDatabase } from '../../../drivers/ovn/database.ts';
import { AgentError } from '../../../errors.ts';
import type { OverlayGateway } from '../../../model/overlay.ts';
import type { GatewayRequest, OverlayRecord } from '../../../model/overlay-record.ts';
import { neededNic } from '../../../overlay/gateway/nic-errors.ts';
import { indexRows, listOf, textOf } from '../../../overlay/rows/row-index.ts';
import { clusterPort } from '../../../overlay/services/shared-ports.ts';
import { readRows } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';

/**
 * Returns the OpenFlow number of the port that connects a gateway's bridge to br-int. Fails with an AgentError if
 * ovn-controller has not created the port.
 */
export async function gatewayPort(
  { layout, node }: OverlayRecord,
  gateway: OverlayGateway,
  { ovsRun }: Pick<OverlayPlaces, 'ovsRun'>,
): Promise<number> {
  const name = clusterPort(layout, node.name, gateway);
  const local = await openSwitchDatabase(ovsRun);
  const rows = await readRows(local, ['Interface']).finally(() => local.close());
  const [number] = listOf(indexRows(rows).named('Interface', name), 'ofport');
  if (typeof number === 'number' && number >= 1) return number;
  throw new AgentError('proof-failed', `ovn-controller has not connected ${gateway.bridge}`, {
    hint: 'look at `ovs-vsctl show`, and at /var/log/ovn/ovn-controller.log for what keeps it from making its port',
  });
}

/**
 * Fails with `interface-unsuitable` if a gateway's own NIC is a port of another bridge, such as the uplink of br-ex.
 * Returns the names of all ports of bridges other than the gateway's; empty if the gateway has no NIC of its own.
 */
export async function refuseOtherBridge(
  { bridge, interface: nic }: Pick<GatewayRequest, 'bridge' | 'interface'>,
  { ovsRun, stop }: Pick<OverlayPlaces, 'ovsRun' | 'stop'>,
): Promise<readonly string[]> {
  if (nic === null) return [];
  const local = await openSwitchDatabase(ovsRun, stop);
  const index = indexRows(await readRows(local, ['Bridge', 'Port']).finally(() => local.close()));
  const others = index.all('Port').flatMap((port) => {
    const holder = index.parentOf(port);
    const name = textOf(port, 'name');
    const of = holder === null ? bridge : textOf(holder.row, 'name');
    // The port with the bridge's own name is the bridge itself. Another check refuses that port as a gateway's NIC,
    // because routes use it.
    return of === bridge || of === name ? [] : { name, of };
  });
  const held = others.find(({ name }) => name === nic);
  if (held !== undefined) throw neededNic(nic, `it is a port of ${held.of}`);
  return others.map(({ name }) => name);
}
