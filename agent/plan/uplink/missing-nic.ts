import type { Observation } from '../../model/observation.ts';
import { textOf } from '../../model/profile-settings.ts';
import { isProfileFor } from './source-profile.ts';
import { usableNamesHint } from './suitability.ts';

/** Types of a profile (nm-settings(5), connection.type) whose device exists only if hardware does. */
const hardware = ['802-3-ethernet', '802-11-wireless', 'infiniband'];

/**
 * Returns the remedy for a named interface that does not exist. For a bond, a VLAN or a bridge that has a profile, the
 * remedy is to activate the profile, because the interface does not exist before. For any other interface, the remedy
 * is `otherwise`. The returned text ends with the interfaces that can be an uplink.
 */
export function missingNicHint(name: string, observation: Observation, otherwise: string | null = null): string {
  const profile = observation.networkManager.profiles.find(
    (one) => isProfileFor(one, name) && !hardware.includes(textOf(one.settings, 'connection', 'type') ?? ''),
  );
  const start = `start its profile ${JSON.stringify(profile?.id)} (nmcli connection up uuid ${profile?.uuid})`;
  return usableNamesHint(observation, profile === undefined ? otherwise : start);
}
