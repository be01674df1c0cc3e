import type { Observation } from '../model/observation.ts';
import type { Difference, WantedBridge } from '../model/plan.ts';
import type { SettingValue } from '../model/profile-settings.ts';
import { nmcliProperty, nmcliValue } from './nmcli-words.ts';

/**
 * Settings of a NIC's profile that are not compared with the settings of the NIC, because NetworkManager applies them
 * to the bridge.
 */
const ofAddress: readonly string[] = ['ipv4', 'ipv6', 'proxy', 'hostname', 'user'];

/**
 * Returns the settings of the device (VLAN, bond, MTU, ethtool, …) that an administrator has changed in the profile of
 * a bridge's NIC, and that NetworkManager has not applied to the NIC: `wanted` is the value of the profile, `observed`
 * the applied one. A changed profile takes effect only at its next activation (nmcli(1), connection modify). Settings
 * of addresses are excluded, because the bridge has them.
 */
export function unappliedSettings(
  bridges: readonly WantedBridge[],
  { networkManager: { profiles, applied = [] } }: Pick<Observation, 'networkManager'>,
): readonly Difference[] {
  return bridges.flatMap(({ uplink }) => {
    const has = applied.find((entry) => entry.interface === uplink?.interface);
    const profile = profiles.find(({ uuid }) => uuid === uplink?.sourceProfile);
    if (has === undefined || profile === undefined || has.uuid !== profile.uuid) return [];
    const names = new Set([...Object.keys(profile.settings), ...Object.keys(has.settings)]);
    return [...names]
      .filter((name) => name !== 'connection' && !ofAddress.includes(name))
      .flatMap((name) => settingDifferences(profile.id, name, profile.settings[name], has.settings[name]));
  });
}

type Setting = Readonly<Record<string, SettingValue>>;

function settingDifferences(
  profile: string,
  setting: string,
  saved: Setting = {},
  applied: Setting = {},
): readonly Difference[] {
  const keys = new Set([...Object.keys(saved), ...Object.keys(applied)]);
  return [...keys].flatMap((key) => {
    const [wanted, observed] = [saved[key], applied[key]].map((value) => valueText(setting, key, value));
    if (wanted === undefined || observed === undefined || wanted === observed) return [];
    return [{ subject: `profile ${profile} ${nmcliProperty(setting, key)}`, wanted, observed }];
  });
}

function valueText(setting: string, key: string, value: SettingValue | undefined): string {
  if (value === undefined) return '(unset)';
  const [, json] = value;
  return nmcliValue(setting, key, typeof json === 'string' ? json : JSON.stringify(json));
}
