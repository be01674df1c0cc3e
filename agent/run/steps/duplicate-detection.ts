import type { Deadline } from '../../deadline.ts';
import { waitForKernel } from '../../drivers/host/kernel/kernel-events.ts';
import { readLinks } from '../../drivers/host/kernel/links.ts';
import { AgentError } from '../../errors.ts';
import { addressesOf, type Link, type Observation } from '../../model/observation.ts';
import type { Plan } from '../../model/plan.ts';
import { fixedAddresses } from '../../model/profile-settings.ts';

/**
 * Limit for duplicate address detection: one probe a second after a delay of up to 1 s (RFC 4862, section 5.4). If more
 * probes are configured, the run does not wait for the end of the detection.
 */
const detectionLimitMs = 3_000;

/** Fixed addresses of the plan whose duplicate address detection is under way. */
export function tentativeAddresses(plan: Plan, observation: Observation): readonly string[] {
  const fixed = plan.wanted.bridges.flatMap(({ profiles }) =>
    profiles.flatMap(({ settings }) => fixedAddresses(settings)),
  );
  return tentativeOf(observation.links).filter((address) => fixed.includes(address));
}

function tentativeOf(links: readonly Link[]): readonly string[] {
  return links.flatMap((link) => addressesOf(link, (entry) => entry.tentative));
}

/**
 * Waits until duplicate address detection of addresses is over. Returns without an error at its limit. NetworkManager
 * reports a NIC as configured as soon as its IPv4 is. If the NIC moved before its fixed IPv6 addresses are usable, it
 * would have none to hand over, and br-ex would start their detection after the move: 2 s of outage.
 */
export async function detectionOver(addresses: readonly string[], deadline: Deadline): Promise<void> {
  const over = (): boolean => !tentativeOf(readLinks()).some((address) => addresses.includes(address));
  const timeout = () => new AgentError('activation-timeout', `${addresses.join(', ')} did not get usable`);
  await waitForKernel(over, deadline, detectionLimitMs, timeout).catch((error: unknown) => {
    if (deadline.signal.aborted) throw error;
  });
}
