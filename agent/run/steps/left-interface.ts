import { setMac, setUp } from '../../drivers/host/kernel/address-hold.ts';
import { addToKernelInOrder } from '../../drivers/host/kernel/change-kernel-entries.ts';
import { resetIpv6Settings } from '../../drivers/host/kernel/ipv6-settings.ts';
import type { LeftBridge } from '../../model/left-bridge.ts';

/**
 * Restores the kernel's part of a bridge that remains: the IPv6 settings, the state and the entries of its interface.
 * Its row has to exist. With `withoutVswitchd`, sets its MAC as well, because a vswitchd that hangs does not, and the
 * kernel derives the link-local address from it as soon as IPv6 is enabled.
 */
export async function restoreLeftInterface(left: LeftBridge, withoutVswitchd: boolean): Promise<void> {
  const { hwaddr } = left.otherConfig;
  if (withoutVswitchd && hwaddr !== undefined) await setMac(left.bridge, hwaddr);
  const hasIpv6 = left.entries.addresses.some(({ address }) => address.includes(':'));
  resetIpv6Settings(left.bridge, hasIpv6);
  if (left.up) await setUp(left.bridge);
  await addToKernelInOrder(left.entries);
}
