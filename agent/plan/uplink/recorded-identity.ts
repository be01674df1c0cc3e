import { type IdentityKey, type IdentityValues, identityKeys, type NicIdentity } from '../../model/hint-files.ts';
import type { Observation } from '../../model/observation.ts';
import type { WantedBridge } from '../../model/plan.ts';
import { type ProfileSettings, textOf } from '../../model/profile-settings.ts';
import { carriedDefaults, withDefaults } from './carried-defaults.ts';

/** Identifiers for DHCP and SLAAC that an earlier run recorded for a NIC and its profile. */
export interface RecordedIdentity {
  /** Recorded values of those settings that the administrator has not changed since then. */
  readonly values: IdentityValues;
  /** Keys of the settings that the administrator has changed since the values were recorded. */
  readonly changed: readonly IdentityKey[];
}

/**
 * Returns the identity that is recorded for a NIC together with this profile; empty if none is recorded. `settings` are
 * those of the profile, with NetworkManager's defaults.
 */
export function recordedIdentity(
  name: string,
  profile: string,
  settings: ProfileSettings,
  observation: Observation,
): RecordedIdentity {
  const record = recordOf(name, profile, observation);
  const recorded = identityKeys.filter((key) => record?.values[key] !== undefined);
  const changed = recorded.filter((key) => record?.settings[key] !== identityValue(settings, key));
  return { values: selected(record?.values, (key) => !changed.includes(key)), changed };
}

/**
 * Returns, for the NICs of the agent's bridges, the identities that the wanted profiles preserve. Each identity also
 * has the settings of the administrator's profile that its values replace. Values that the administrator's profile has
 * as well are left out, because every run takes them from that profile.
 */
export function identitiesOf(bridges: readonly WantedBridge[], observation: Observation): readonly NicIdentity[] {
  return bridges.flatMap(({ bridge, uplink, profiles }) => {
    const wanted = profiles.find(({ settings }) => textOf(settings, 'ovs-interface', 'type') === 'internal')?.settings;
    if (uplink === null || wanted === undefined) return [];
    const { interface: name, sourceProfile: profile } = uplink;
    const own = observation.networkManager.profiles.find(({ uuid }) => uuid === profile)?.settings ?? {};
    const source = withDefaults(own, carriedDefaults(own, name, bridge, observation));
    const wantedValues = valuesOf(wanted);
    const asked = valuesOf(source);
    const values = selected(wantedValues, (key) => wantedValues[key] !== asked[key]);
    const settings = selected(asked, (key) => values[key] !== undefined);
    return Object.keys(values).length === 0 ? [] : [{ interface: name, profile, values, settings }];
  });
}

function recordOf(name: string, profile: string, { hints }: Observation): NicIdentity | undefined {
  return hints.identities?.find((entry) => entry.interface === name && entry.profile === profile);
}

function valuesOf(settings: ProfileSettings): IdentityValues {
  return Object.fromEntries(identityKeys.map((key) => [key, identityValue(settings, key)]));
}

/** Returns the values that are set and whose keys fulfil a condition. */
function selected(values: IdentityValues = {}, isWanted: (key: IdentityKey) => boolean): IdentityValues {
  const keys = identityKeys.filter((key) => values[key] !== undefined && isWanted(key));
  return Object.fromEntries(keys.map((key) => [key, values[key]]));
}

function identityValue(settings: ProfileSettings, key: IdentityKey): string | undefined {
  const [family = '', property = ''] = key.split('.');
  return textOf(settings, family, property);
}
