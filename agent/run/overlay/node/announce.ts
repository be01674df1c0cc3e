import { sendFrames } from '../../../drivers/openvswitch/packet-out.ts';
import { neighbourAnnouncement } from '../../../net/neighbour-announcement.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { readRecord } from '../record/record.ts';
import { gatewayPort } from './gateway-port.ts';

/**
 * Announces addresses to the hosts of the LAN, so that they send packets for these addresses to this node's gateway.
 * The frames enter the bridge at the port at which the gateway's own frames enter it. Fails with an AgentError if the
 * gateway is not connected to its bridge.
 */
export async function announce(addresses: readonly string[], places: OverlayPlaces): Promise<void> {
  const record = readRecord(places.record);
  const gateway = record?.node.gateway ?? null;
  if (record === null || gateway === null) return;
  const port = await gatewayPort(record, gateway, places);
  const frames = addresses.map((address) => neighbourAnnouncement(address, gateway.mac, gateway.vlan));
  await sendFrames(gateway.bridge, port, frames, places.ovsRun);
}
