import { ipBatch } from './ip-batch.ts';

/**
 * Makes the kernel tell everybody who listens of a link, and leaves it as it is (rtnetlink(7), RTM_NEWLINK): a tap that receives all multicast for
 * a moment receives nothing else, because Open vSwitch sends it what it sends anyway.
 */
export function announceLink(name: string): Promise<void> {
  return ipBatch([`link set dev ${name} allmulticast on`, `link set dev ${name} allmulticast off`]);
}
