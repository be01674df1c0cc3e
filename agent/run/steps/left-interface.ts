import { setMac, setUp } from '../../drivers/host/kernel/address-hold.ts';
import { addToKernelInOrder } from '../../drivers/host/kernel/change-kernel-entries.ts';
import { resetIpv6Settings } from '../../drivers/host/kernel/ipv6-settings.ts';
import type { LeftBridge } from '../../model/left-bridge.ts';

/**
 * Restores the kernel's settings of a bridge that is left to MicroShift: the IPv6 settings of its interface, the state
 * of this interface (up or down), and its foreign addresses, routes, rules and neighbours. The row of the interface has
 * to exist. With `withoutVswitchd`, sets the MAC as well, because an ovs-vswitchd that hangs does not set it. The
 * kernel derives the link-local address from the MAC as soon as IPv6 is enabled.
 */
export async function restoreLeftInterface(left: LeftBridge, withoutVswitchd: boolean): Promise<void> {
  const { hwaddr } = left.otherConfig;
  if (withoutVswitchd && hwaddr !== undefined) await setMac(left.bridge, hwaddr);
  const hasIpv6 = left.entries.addresses.some(({ address }) => address.includes(':'));
  resetIpv6Settings(left.bridge, hasIpv6);
  if (left.up) await setUp(left.bridge);
  await addToKernelInOrder(left.entries);
}
