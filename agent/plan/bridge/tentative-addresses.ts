import { addressesOf, type Observation, prefixedAddress } from '../../model/observation.ts';
import type { Plan } from '../../model/plan.ts';
import { fixedAddresses } from '../../model/profile-settings.ts';
import { isMovable } from './handover.ts';

/**
 * Returns the tentative addresses that the plan would leave behind, because their duplicate address detection has not
 * ended: the fixed addresses of its profiles, and the addresses of DHCPv6 and router advertisements on a link whose
 * addresses move.
 */
export function tentativeAddresses(plan: Plan, observation: Observation): readonly string[] {
  const fixed = plan.wanted.bridges.flatMap(({ profiles }) =>
    profiles.flatMap(({ settings }) => fixedAddresses(settings)),
  );
  const left = plan.carried.filter((moved) => moved.from !== moved.interface).map((moved) => moved.from);
  return observation.links.flatMap((link) =>
    addressesOf(
      link,
      (entry) =>
        entry.tentative && (fixed.includes(prefixedAddress(entry)) || (left.includes(link.name) && isMovable(entry))),
    ),
  );
}
