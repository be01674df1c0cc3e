import { type IdentityKey, type IdentityValues, identityKeys, type NicIdentity } from '../../model/hint-files.ts';
import type { Observation } from '../../model/observation.ts';
import type { WantedBridge } from '../../model/plan.ts';
import { type ProfileSettings, textOf } from '../../model/profile-settings.ts';
import { carriedDefaults, withDefaults } from './carried-defaults.ts';

/** Identifiers for DHCP and SLAAC that an earlier run recorded for a NIC and its profile. */
export interface RecordedIdentity {
  /** Recorded values, without those whose settings the administrator has changed since the values were recorded. */
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
 * Returns the identities of the NICs in the agent's bridges, as the desired profiles of the bridges contain them.
 * Leaves out values that are also in the administrator's profile of the NIC, because every run takes these values from
 * that profile. If a value replaces another one of the administrator's profile, the identity also has the replaced one.
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

function selected(values: IdentityValues = {}, isWanted: (key: IdentityKey) => boolean): IdentityValues {
  const keys = identityKeys.filter((key) => values[key] !== undefined && isWanted(key));
  return Object.fromEntries(keys.map((key) => [key, values[key]]));
}

function identityValue(settings: ProfileSettings, key: IdentityKey): string | undefined {
  const [family = '', property = ''] = key.split('.');
  return textOf(settings, family, property);
}
