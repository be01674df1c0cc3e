import { ipBatch } from './ip-batch.ts';

/**
 * Makes the kernel send a notification about a tap to all rtnetlink listeners (rtnetlink(7), RTM_NEWLINK), without a
 * lasting change of the tap. The function sets the tap's flag for all multicast for a moment. The tap then receives no
 * additional packets, because Open vSwitch sends it the same packets in any case.
 */
export function announceLink(name: string): Promise<void> {
  return ipBatch([`link set dev ${name} allmulticast on`, `link set dev ${name} allmulticast off`]);
}
