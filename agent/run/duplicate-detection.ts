import type { Deadline } from '../deadline.ts';
import { waitForKernel } from '../drivers/host/kernel-events.ts';
import { readLinks } from '../drivers/host/links.ts';
import { AgentError } from '../errors.ts';
import { addressesOf, type Link, type Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { fixedAddresses } from '../model/settings.ts';

/** One probe a second after a delay of up to 1 s (RFC 4862 section 5.4); with more probes than usual the bridge does without. */
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
 * NetworkManager calls a NIC configured as soon as its IPv4 is. Moved before its fixed IPv6 addresses are usable it has none to hand over,
 * and br-ex begins their detection after the move: 2 s of silence for what the NIC would have had in a moment. Waits for that, and ends
 * quietly at its limit.
 */
export async function detectionOver(addresses: readonly string[], deadline: Deadline): Promise<void> {
  const over = (): boolean => !tentativeOf(readLinks()).some((address) => addresses.includes(address));
  const timeout = () => new AgentError('activation-timeout', `${addresses.join(', ')} did not get usable`);
  await waitForKernel(over, deadline, detectionLimitMs, timeout).catch((error: unknown) => {
    if (deadline.signal.aborted) throw error;
  });
}
