import { ipBatch } from './ip-batch.ts';

/**
 * Makes the kernel notify all listeners about a link (rtnetlink(7), RTM_NEWLINK), and leaves the link as it is. A tap
 * that receives all multicast for a moment receives nothing else, because Open vSwitch sends the same packets to it
 * anyway.
 */
export function announceLink(name: string): Promise<void> {
  return ipBatch([`link set dev ${name} allmulticast on`, `link set dev ${name} allmulticast off`]);
}
