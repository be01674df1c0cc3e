import {
  addressesOf,
  isBeingDetected,
  type LinkAddress,
  type Observation,
  prefixedAddress,
} from '../../model/observation.ts';
import type { Plan } from '../../model/plan.ts';
import { fixedAddresses } from '../../model/profile-settings.ts';
import { isMovable } from './handover.ts';

/**
 * Returns the addresses that the plan would leave behind, because their duplicate address detection has not ended.
 * These are fixed addresses of its profiles, and addresses of DHCPv6 and router advertisements on a link that loses its
 * addresses.
 */
export function tentativeAddresses(plan: Plan, observation: Observation): readonly string[] {
  const fixed = plan.wanted.bridges.flatMap(({ profiles }) =>
    profiles.flatMap(({ settings }) => fixedAddresses(settings)),
  );
  const left = plan.carried.filter((moved) => moved.from !== moved.interface).map((moved) => moved.from);
  const isWanted = (name: string, entry: LinkAddress): boolean =>
    fixed.includes(prefixedAddress(entry)) || (left.includes(name) && isMovable(entry));
  return observation.links.flatMap((link) =>
    addressesOf(link, (entry) => isBeingDetected(entry) && isWanted(link.name, entry)),
  );
}
