import type { Deadline } from '../../deadline.ts';
import { waitForKernel } from '../../drivers/host/kernel/kernel-events.ts';
import { readLinks } from '../../drivers/host/kernel/links.ts';
import { AgentError } from '../../errors.ts';
import { addressesOf, isBeingDetected, type Link } from '../../model/observation.ts';

/**
 * Time limit for duplicate address detection, which takes up to 2 s: a delay of up to 1 s before the only probe, and 1
 * s for answers (RFC 4862, section 5.4). If the kernel is configured to send more probes, the run does not wait for the
 * end of the detection.
 */
const detectionLimitMs = 3_000;

/**
 * Waits until duplicate address detection of addresses has ended. Returns without an error at the time limit.
 * NetworkManager reports a NIC as configured as soon as IPv4 is configured. IPv6 addresses that are still tentative
 * could not move, and the agent holds no IPv6 route for a link without an IPv6 address. The other link would have to
 * detect or request the addresses after the move, with an outage of 2 s.
 */
export async function detectionOver(addresses: readonly string[], deadline: Deadline): Promise<void> {
  const over = (): boolean => !detectedOf(readLinks()).some((address) => addresses.includes(address));
  const timeout = () => new AgentError('activation-timeout', `${addresses.join(', ')} did not get usable`);
  await waitForKernel(over, deadline, detectionLimitMs, timeout).catch((error: unknown) => {
    if (deadline.signal.aborted) throw error;
  });
}

function detectedOf(links: readonly Link[]): readonly string[] {
  return links.flatMap((link) => addressesOf(link, isBeingDetected));
}
