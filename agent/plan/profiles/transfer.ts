import type { ProfileSettings, SettingValue } from '../../model/profile-settings.ts';

/*
 * Settings of the administrator that move to the bridge's internal interface: IP settings and settings that depend on
 * the address. Settings of the device (802.1X, ethtool, VLAN, bond, MTU, …) and all unknown ones stay in the profile
 * that remains active on the NIC.
 */

/** Settings that move to the bridge's internal interface with all their properties. */
const wholeSettings: readonly string[] = ['ipv4', 'ipv6', 'proxy', 'hostname', 'user'];

/** Properties of `connection` that make NetworkManager ping before a profile counts as active. */
export const pingKeys: readonly string[] = [
  'gateway-ping-timeout',
  'ip-ping-addresses',
  'ip-ping-addresses-require-all',
  'ip-ping-timeout',
];

/**
 * Properties of `connection` that move to the bridge's internal interface together with the address, and two that apply
 * to both interfaces: the permissions, and the number of activation retries (the bridge waits for a lease).
 */
const connectionKeys: readonly string[] = [
  'zone',
  'mdns',
  'llmnr',
  'dns-over-tls',
  'dnssec',
  'metered',
  'secondaries',
  'stable-id',
  ...pingKeys,
  'mptcp-flags',
  'mud-url',
  'permissions',
  'autoconnect-retries',
];

/** Returns the settings that the bridge's internal interface takes from the administrator's profile. */
export function addressSettings(source: ProfileSettings): ProfileSettings {
  const settings: Record<string, Readonly<Record<string, SettingValue>>> = {};
  for (const name of wholeSettings) if (source[name] !== undefined) settings[name] = { ...source[name] };
  const connection = Object.entries(source.connection ?? {}).filter(([key]) => connectionKeys.includes(key));
  if (connection.length > 0) settings.connection = Object.fromEntries(connection);
  return settings;
}
