import { type IdentityValues, identityKeys, type NicIdentity } from '../../model/hint-files.ts';
import type { Observation } from '../../model/observation.ts';
import type { WantedBridge } from '../../model/plan.ts';
import { type ProfileSettings, textOf } from '../../model/profile-settings.ts';

/** Returns the recorded identity of a NIC with a profile; empty if none is recorded for both. */
export function recordedIdentity(name: string, profile: string, { hints }: Observation): IdentityValues {
  return hints.identities?.find((entry) => entry.interface === name && entry.profile === profile)?.values ?? {};
}

/**
 * Returns the identities that the wanted profiles preserve for the NICs of the agent's bridges. Values that the
 * administrator's profile has itself are left out, because they follow that profile.
 */
export function identitiesOf(bridges: readonly WantedBridge[], observation: Observation): readonly NicIdentity[] {
  return bridges.flatMap(({ uplink, profiles }) => {
    const wanted = profiles.find(({ settings }) => textOf(settings, 'ovs-interface', 'type') === 'internal')?.settings;
    if (uplink === null || wanted === undefined) return [];
    const { interface: name, sourceProfile } = uplink;
    const source = observation.networkManager.profiles.find(({ uuid }) => uuid === sourceProfile)?.settings;
    const values = identityKeys.flatMap((key) => {
      const value = identityValue(wanted, key);
      return value === undefined || value === identityValue(source, key) ? [] : [[key, value] as const];
    });
    return values.length === 0 ? [] : [{ interface: name, profile: sourceProfile, values: Object.fromEntries(values) }];
  });
}

function identityValue(settings: ProfileSettings | undefined, key: string): string | undefined {
  const [family = '', property = ''] = key.split('.');
  return textOf(settings, family, property);
}
