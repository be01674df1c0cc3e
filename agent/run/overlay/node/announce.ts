import { sendFrames } from '../../../drivers/openvswitch/packet-out.ts';
import { openSwitchDatabase } from '../../../drivers/ovn/database.ts';
import { AgentError } from '../../../errors.ts';
import { neighbourAnnouncement } from '../../../net/neighbour-announcement.ts';
import { indexRows, listOf } from '../../../overlay/rows/row-index.ts';
import { clusterPort } from '../../../overlay/services/shared-ports.ts';
import { readRows } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { readRecord } from '../record/record.ts';

/**
 * Announces addresses to the hosts of the LAN, so that they send packets for these addresses to this node's gateway.
 * The frames enter the bridge at the port at which the gateway's own frames enter it. Fails with an AgentError if the
 * gateway is not connected to its bridge.
 */
export async function announce(addresses: readonly string[], places: OverlayPlaces): Promise<void> {
  const record = readRecord(places.record);
  const gateway = record?.node.gateway ?? null;
  if (record === null || gateway === null) return;
  const name = clusterPort(record.layout, record.node.name, gateway);
  const local = await openSwitchDatabase(places.ovsRun);
  const rows = await readRows(local, ['Interface']).finally(() => local.close());
  const [number] = listOf(indexRows(rows).named('Interface', name), 'ofport');
  if (typeof number !== 'number' || number < 1)
    throw new AgentError('proof-failed', `ovn-controller has not connected ${gateway.bridge}`, {
      hint: 'look at `ovs-vsctl show`, and at /var/log/ovn/ovn-controller.log for what keeps it from making its port',
    });
  const frames = addresses.map((address) => neighbourAnnouncement(address, gateway.mac, gateway.vlan));
  await sendFrames(gateway.bridge, number, frames, places.ovsRun);
}
