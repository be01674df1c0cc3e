import type { OpenVSwitch } from '../../drivers/openvswitch/ovs-client.ts';
import { nicsIn } from '../../model/bridge-devices.ts';
import type { LeftBridge } from '../../model/left-bridge.ts';
import type { Link } from '../../model/observation.ts';
import type { Wanted } from '../../model/plan.ts';

/*
 * Treatment of MicroShift's bridges during a rollback to NetworkManager's checkpoint. The transaction has marked these
 * bridges as NetworkManager's, so NetworkManager would remove them together with the ports and flows of other programs.
 * The marks are therefore removed before the rollback. The NICs stay in these bridges during the rollback and are
 * removed from them afterwards.
 */

/**
 * Removes NetworkManager's mark from the bridges of MicroShift that existed before the transaction, so that a rollback
 * keeps them.
 */
export async function keepLeftBridges({ microshift = [] }: Wanted, ovs: OpenVSwitch): Promise<void> {
  for (const { bridge } of microshift) await ovs.unmarkBridge(bridge);
}

/**
 * Removes the NICs and the internal interface from a bridge of MicroShift after a rollback of NetworkManager. A NIC
 * gets no lease as long as it is a port. NetworkManager keeps its device for the internal interface until that
 * interface is removed (nm-device-ovs-interface.c, deactivate_async). With `isTaken`, waits until ovs-vswitchd has
 * carried out both removals.
 */
export async function freeLeftBridge(
  ovs: OpenVSwitch,
  { bridge }: LeftBridge,
  links: readonly Link[],
  isTaken: boolean,
): Promise<void> {
  const row = (await ovs.facts()).bridges.find(({ name }) => name === bridge);
  for (const { name } of nicsIn(row, { links })) await ovs.detachUplink({ bridge, interface: name }, isTaken);
  await ovs.releaseBridge(bridge, isTaken);
}
